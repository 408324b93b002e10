"""Hostile xacro: nothing is started, made or read elsewhere; an error after few steps.

`EXPRESSIONS` stand in a property that names a link, `FILES` are whole robots. Both walls are tested: first the
evaluator, then, with Python's own `eval` in its place, the process it runs in.
"""

import os
import re
import sys
from pathlib import Path

import pytest

import supple
from supple import SuppleError
from supple.apps.formats.xacro import read as reading

HEAD = '<robot name="r" xmlns:xacro="http://www.ros.org/wiki/xacro">\n'
SECRET = "hidden-in-another-folder"

# Python's builtins, from a code object inside the one that xacro looks at.
BUILTINS = (
    "(lambda: [c for c in ().__class__.__base__.__subclasses__() if c.__name__ == '_wrap_close'][0]"
    ".__init__.__globals__['__builtins__'])()"
)
IMPORT = BUILTINS + "['__import__']"
OPEN = BUILTINS + "['open']"

EXPRESSIONS = {
    "import": "__import__('os').system('touch MARK')",
    "system": f"{IMPORT}('os').system('touch MARK')",
    "open for writing": f"{OPEN}('MARK', 'w')",
    "open by number": f"{IMPORT}('os').open('MARK', 65)",
    "subprocess": f"{IMPORT}('subprocess').run(['touch', 'MARK'])",
    "fork_exec": f"(lambda i: (lambda o, p: p.fork_exec([b'touch', b'MARK'], [b'/usr/bin/touch'], True, (), None, None,"
    f" -1, -1, -1, -1, -1, -1, *o.pipe(), False, False, -1, None, None, None, -1, None, False))(i('os'), "
    f"i('_posixsubprocess')))({IMPORT})",
    "spawn": f"{IMPORT}('os').posix_spawn('/usr/bin/touch', ['touch', 'MARK'], {IMPORT}('os').environ)",
    "fork": f"{IMPORT}('os').fork()",
    "exec": f"{IMPORT}('os').execv('/usr/bin/touch', ['touch', 'MARK'])",
    "mknod": f"{IMPORT}('os').mknod('MARK')",
    "mkfifo": f"{IMPORT}('os').mkfifo('MARK')",
    "mkdir": f"{IMPORT}('os').mkdir('MARK')",
    "symlink": f"{IMPORT}('os').symlink('a', 'MARK')",
    "remove": f"{IMPORT}('os').remove('KEPT')",
    "rename": f"{IMPORT}('os').rename('KEPT', 'MARK')",
    "chmod": f"{IMPORT}('os').chmod('KEPT', 511)",
    "readline": f"{IMPORT}('readline').write_history_file('MARK')",
    "shared memory": f"{IMPORT}('_posixshmem').shm_open('/supple-test-shm', 66, mode=384)",
    "ctypes": f"{IMPORT}('ctypes').CDLL(None).system(b'touch MARK')",
    "socket": f"{IMPORT}('socket').socket()",
    "kill": f"{IMPORT}('os').kill({IMPORT}('os').getppid(), 0)",
    "setrlimit": f"{IMPORT}('resource').setrlimit(0, (1, 1))",
    "read elsewhere": f"{OPEN}('OUTSIDE').read()",
    "read passwords": f"{OPEN}('/etc/passwd').read()",
    "read the library": f"{OPEN}({IMPORT}('os').__file__).read()",
    "read the environment's settings": f"{OPEN}({IMPORT}('sys').prefix + '/pyvenv.cfg').read()",
    "read memory": f"{OPEN}('/proc/self/mem', 'rb')",
    "environment": f"{IMPORT}('os').environ.copy()",
    "link": f"{IMPORT}('os').readlink('/proc/self/exe')",
    "stat": f"{IMPORT}('os').stat('/etc/shadow').st_size",
    "write to the output": f"{IMPORT}('os').write(1, b'x')",
    "objects": f"{IMPORT}('gc').get_objects()",
    "frame of a generator": "(x for x in [1]).gi_frame.f_back.f_globals",
    "frames": f"{IMPORT}('sys')._getframe(1).f_globals",
    "class": "''.__class__.__mro__",
    "subclasses": "[c for c in ().__class__.__base__.__subclasses__()]",
    "globals of a function": "xacro.load_yaml.__globals__",
    "code of a function": "xacro.load_yaml.__code__.co_consts",
    "self of a builtin": "sin.__self__",
    "nested lambda": "(lambda: (lambda: 1)())()",
    "walrus": "[y := 1, y][0]",
    "vars": "python.vars(math)",
    "type": "python.type('a', (), dict())",
    "tables of xacro": "xacro.parent.root",
    "surrogate": "'\\ud800' + nothing",
    "loop": "[0 for i in range(10**9) for j in range(10**9)]",
    "loop within": "[[0 for i in range(10**5)] for j in range(10**5)]",
    "memory": "len('a' * 10**10)",
    "power": "10**10**10",
    "shift": "1 << 10**12",
    "product of lists": "[[[0] * 9999] * 9999] * 9999",
    "join": "('a' * 9999).join('b' * 9999)",
    "width of a field": "'%999999999d' % 1",
    "factorial": "factorial(10**8)",
    "calls itself": "(lambda f: f(f))(lambda f: f(f))",
    "deep": "(" * 1000 + "1" + ")" * 1000,
    "deeper": "-" * 9999 + "1",
    "yaml elsewhere": "xacro.load_yaml('OUTSIDE')",
    "yaml above": "xacro.load_yaml('../secret.yaml')",
    "yaml by link": "xacro.load_yaml('link.yaml')",
    "yaml of passwords": "load_yaml('/etc/passwd')",
    "yaml pipe": "xacro.load_yaml('pipe')",
    "yaml tag": "xacro.load_yaml('tag.yaml')",
    "yaml aliases": "str(xacro.load_yaml('bomb.yaml'))",
    "yaml merges": "str(xacro.load_yaml('merge.yaml'))",
    "yaml within itself": "str(xacro.load_yaml('loop.yaml'))",
    "yaml unit": "xacro.load_yaml('unit.yaml')",
    "separators": "xacro.tokenize('a' * 9999, sep='](a+)+$[') + nothing",
}
LINK = '<link name="a"/>'
FILES = {
    "include elsewhere": '<xacro:include filename="OUTSIDE"/>',
    "include above": '<xacro:include filename="../secret.xacro"/>',
    "include by link": '<xacro:include filename="link.xacro"/>',
    "include through a folder": '<xacro:include filename="linked/secret.xacro"/>',
    "include a device": '<xacro:include filename="/dev/zero"/>',
    "include a pipe": '<xacro:include filename="pipe"/>',
    "include a folder": '<xacro:include filename="."/>',
    "include itself": '<xacro:include filename="robot.urdf.xacro"/>',
    "include many": '<xacro:include filename="../*.xacro"/><link name="${nothing}"/>',
    "entities of an include": '<xacro:include filename="bomb.xacro"/>',
    "entity of a file": '<xacro:include filename="entity.xacro"/>',
    "find above": '<link name="$(find ..)"/>',
    "find elsewhere": '<link name="$(find ../legs)"/>',
    "find the root": '<link name="$(find /)"/>',
    "eval": "<link name=\"$(eval open('MARK', 'w'))\"/>",
    "eval within": '<link name="$(eval (lambda: 1)()"/>',
    "eval attributes": '<link name="$(eval [].__class__)"/>',
    "eval classes": '<link name="$(eval [].append)"/>',
    "env": '<link name="$(env HOME)"/>',
    "eval env": "<link name=\"$(eval env['HOME'])\"/>",
    "optenv": '<link name="$(optenv HOME ${nothing})"/>',
    "dirname": '<link name="$(dirname)"/>',
    "command": '<link name="$(touch MARK)"/>',
    # No brace can stand in an expression, but an argument can bring one in.
    "fields of a format": "<xacro:arg name='f' default=\"'{0.__class__}'\"/><link name='${$(arg f).format(1)}'/>",
    "fields of a mapping": "<xacro:arg name='f' default=\"'{x.__class__}'\"/><link name='${$(arg f).format_map("
    "dict(x=1))}'/>",
    "f-string": "<xacro:arg name='f' default=\"f'{().__class__}'\"/><link name='${$(arg f)}'/>",
    "call itself": '<xacro:macro name="m"><xacro:m/></xacro:macro><xacro:m/>',
    "call each other": '<xacro:macro name="m"><xacro:n/></xacro:macro><xacro:macro name="n"><xacro:m/>'
    "</xacro:macro><xacro:m/>",
    "call twice and twice": "".join(
        f'<xacro:macro name="m{k}"><xacro:m{k + 1}/><xacro:m{k + 1}/></xacro:macro>' for k in range(40)
    )
    + '<xacro:macro name="m40"><a/></xacro:macro><xacro:m0/>',
    "blocks twice and twice": "".join(
        f'<xacro:property name="p{k}"><xacro:insert_block name="p{k + 1}"/><xacro:insert_block name="p{k + 1}"/>'
        "</xacro:property>"
        for k in range(40)
    )
    + '<xacro:property name="p40"><a/></xacro:property><xacro:insert_block name="p0"/>',
    "properties in a circle": '<xacro:property name="p" value="${q}"/><xacro:property name="q" value="${p}"/>'
    '<link name="${p}"/>',
    "properties in a row": "".join(
        f'<xacro:property name="p{k}" value="${{p{k + 1}}}"/>' for k in range(3000)
    )
    + '<xacro:property name="p3000" value="1"/><link name="${p0}"/>',
    "properties that double": '<xacro:property name="p0" value="aaaaaaaaaa"/>'
    + "".join(
        f'<xacro:property name="p{k + 1}" value="${{p{k}}}${{p{k}}}"/>' for k in range(60)
    )
    + '<link name="${p60}"/>',
    "lists that double": '<xacro:property name="p0" value="${[1]}"/>'
    + "".join(
        f'<xacro:property name="p{k + 1}" value="${{[p{k}, p{k}]}}"/>' for k in range(60)
    )
    + '<link name="${p60}"/>',
    "quotes": f'<xacro:macro name="m" params="a:={"x" * 60}&quot;"><a/></xacro:macro>',
    "more quotes": f'<xacro:macro name="m" params="a:={chr(39) * 61}"><a/></xacro:macro>',
    "dollars": "<a>" + "$ " * 200_000 + "</a><link name='${nothing}'/>",
    "names with underscores": '<xacro:property name="__builtins__" value="1"/>',
    "a name that is code": "<xacro:property name=\"${'(lambda: 1)()'}\" value=\"1\"/>",
    "message": "<a>${xacro.message('x', file=OUT)}</a>",
    "fatal": "<a>${xacro.fatal('no')}</a>",
}  # fmt: skip
BESIDE = {
    "tag.yaml": "a: !!python/object/apply:os.system ['touch MARK']",
    "bomb.yaml": "".join(
        f"a{k}: &a{k} [{', '.join([f'*a{k - 1}' if k else 'lol'] * 9)}]\n" for k in range(30)
    ),
    "merge.yaml": "a0: &a0 {x: 1}\n"
    + "".join(f"a{k}: &a{k} {{<<: [{', '.join([f'*a{k - 1}'] * 9)}]}}\n" for k in range(1, 30)),
    "loop.yaml": "a: &a [*a]",
    "unit.yaml": f"a: !degrees \"{IMPORT}('os').system('touch MARK')\"",
    "bomb.xacro": '<!DOCTYPE r [<!ENTITY a "lol">'
    + "".join(f'<!ENTITY a{k} "{f"&a{k - 1 if k else str()};" * 9}">' for k in range(20))
    + "]>\n<robot><a>&a19;</a></robot>",
    "entity.xacro": '<!DOCTYPE r [<!ENTITY a SYSTEM "file:///etc/hostname">]>\n<robot>&a;</robot>',
}


SAID = {
    "fork_exec": "lambda is not allowed; expected numbers",
    "loop within": "too many steps",
    "power": "a whole number is too large",
    "memory": "a product is too large",
    "yaml by link": "expected a file in its own folder, got",
    "yaml pipe": "expected a regular file",
    "yaml tag": "could not determine a constructor for the tag",
    "yaml aliases": "a YAML file is too large",
    "yaml merges": "a YAML file is too large",
    "yaml within itself": "an alias contains itself",
    "include by link": "expected a file in its own folder, got",
    "include a device": "expected a file in its own folder, got",
    "include a pipe": "expected a regular file",
    "entities of an include": "a document type is not taken",
    "find above": "was not found in the file's folder",
    "env": "environment variable 'HOME' is not set",
    "fields of a format": "has no method 'format'",
    "f-string": "an f-string is not allowed",
    "call itself": "it is too deep",
    "call twice and twice": "too many steps",
    "blocks twice and twice": "too many steps",
    "lists that double": "a list or a dictionary is too large",
    "quotes": "expected quotes in pairs",
    "dollars": "too many steps",
}
"""What must be said of some of them: not only refused, but by what is meant to refuse it."""


class Place:
    """A robot's folder, with what it must not reach beside it."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.own = root / "legs"
        self.own.mkdir()
        self.mark = root / "mark"
        self.kept = root / "kept"
        self.kept.write_text("as it was")
        (root / "secret.yaml").write_text(f"word: {SECRET}")
        (root / "secret.xacro").write_text(f'<robot><link name="{SECRET}"/></robot>')
        (self.own / "link.yaml").symlink_to(root / "secret.yaml")
        (self.own / "link.xacro").symlink_to(root / "secret.xacro")
        (self.own / "linked").symlink_to(root)
        os.mkfifo(self.own / "pipe")
        for name, text in BESIDE.items():
            (self.own / name).write_text(self.filled(text))

    def filled(self, text: str) -> str:
        outside = str(self.root / ("secret.xacro" if "include" in text else "secret.yaml"))
        return (
            text.replace("MARK", str(self.mark))
            .replace("KEPT", str(self.kept))
            .replace("OUTSIDE", outside)
        )

    def put(self, body: str) -> Path:
        path = self.own / "robot.urdf.xacro"
        path.write_text(HEAD + LINK + self.filled(body) + "\n</robot>")
        return path

    def listed(self) -> list[tuple[str, int]]:
        made = [(str(one), one.lstat().st_mode) for one in sorted(self.root.rglob("*"))]
        return made + [(one, 0) for one in os.listdir("/dev/shm") if "supple-test" in one]


@pytest.fixture
def place(tmp_path):
    return Place(tmp_path)


def refused(place: Place, path: Path) -> str:
    before = place.listed()
    with pytest.raises(SuppleError) as caught:
        supple.load(path)
    assert place.listed() == before
    assert place.kept.read_text() == "as it was"
    said = str(caught.value)
    assert SECRET not in said and "root:" not in said
    assert "robot.urdf.xacro" in said and len(said) < 3000
    assert "ran out of" not in said  # its steps are counted: no clock had to end it
    return said


def in_property(expression: str) -> str:
    quoted = expression.replace("&", "&amp;").replace("<", "&lt;").replace('"', "&quot;")
    return f'<xacro:property name="v" value="${{{quoted}}}"/><link name="a_${{v}}"/>'


@pytest.mark.skipif(sys.platform != "linux", reason="pipes and /dev as on Linux")
@pytest.mark.parametrize("what", EXPRESSIONS)
def test_expressions_reach_nothing(what, place):
    said = refused(place, place.put(in_property(EXPRESSIONS[what])))
    assert "xacro cannot expand it: " in said
    assert SAID.get(what, "") in said


@pytest.mark.skipif(sys.platform != "linux", reason="pipes and /dev as on Linux")
@pytest.mark.parametrize("what", FILES)
def test_files_reach_nothing(what, place):
    assert SAID.get(what, "") in refused(place, place.put(FILES[what]))


# The process, with Python's own eval in place of the evaluator, and then without the audit hook too.
UNGUARDED = """
import importlib
from supple.apps.formats.xacro import library, worker

library.evaluate = lambda text, symbols, **options: eval(text, {{}}, symbols)
{}

def main(job):
    # What escapes may import, so that it is not imports that are refused.
    for name in ("subprocess", "readline", "socket", "_posixshmem", "ctypes", "gc", "resource"):
        importlib.import_module(name)
    return worker.main(job)
"""
MAKES = [
    *("system", "open for writing", "open by number", "subprocess", "fork_exec", "spawn", "fork", "exec"),
    *("mknod", "mkfifo", "mkdir", "symlink", "remove", "rename", "chmod", "readline", "shared memory"),
    *("ctypes", "socket", "kill"),
]  # fmt: skip


@pytest.fixture
def unguarded(place, monkeypatch):
    def use(more: str) -> None:
        worker = place.root / "worker.py"
        worker.write_text(UNGUARDED.format(more))
        monkeypatch.setattr(reading, "WORKER", worker)

    return use


@pytest.mark.skipif(sys.platform != "linux", reason="pipes and /dev as on Linux")
def test_python_is_not_run_even_without_the_evaluator(place, unguarded):
    unguarded("")
    assert "not allowed: 'exec'" in refused(place, place.put(in_property("1 + 1")))


@pytest.mark.skipif(not Path("/proc/sys/kernel/seccomp").exists(), reason="seccomp is of Linux")
@pytest.mark.parametrize("what", MAKES)
def test_the_process_makes_nothing_even_where_python_is_run(what, place, unguarded):
    unguarded("worker._lock = lambda folders: None")
    path = place.put(in_property(EXPRESSIONS[what]))
    before = place.listed()
    try:
        (name,) = set(supple.load(path).skeleton.names) - {"a"}
    except SuppleError as error:
        name = str(error)
    # system() gives -1, or 127 as of a shell that is not found.
    assert re.search(r"Operation not permitted|a_(-1|32512)$", name)
    assert place.listed() == before
    assert place.kept.read_text() == "as it was"
