"""Expressions of xacro: those that are allowed have Python's value, others are refused, and none takes long."""

import builtins
import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from supple.apps.formats.xacro import functions
from supple.apps.formats.xacro.expressions import Namespace, evaluate
from supple.apps.formats.xacro.work import LARGEST_VALUE, Dotted, ExpressionError, Work

LIMITS = functions.dotted({"elbow": {"lower": -1.5, "upper": 2, "axes": [{"x": 1}, 0]}, 3: "three"})
SYMBOLS = {
    **functions.PYTHON,
    **functions.MATH,
    "math": Namespace(functions.MATH),
    "python": Namespace(functions.PYTHON),
    "xacro": Namespace(functions.XACRO),
    "arm": Namespace(length=2.5, _hidden=1),
    "x": 3,
    "y": -0.25,
    "name": "left_arm",
    "xyz": "0 1.5 2",
    "sizes": [1, 2.5, 4],
    "flag": True,
    "none": None,
    "limits": LIMITS,
    "huge": "9" * (LARGEST_VALUE + 1),
    "element": object(),  # as xacro's tables hold blocks
}
PYTHON_SYMBOLS = {
    **{name: getattr(builtins, name) for name in functions.PYTHON},
    **{name: getattr(math, name) for name in functions.MATH},
    **{key: SYMBOLS[key] for key in ("x", "y", "name", "xyz", "sizes", "flag", "none")},
    "math": math,
    "limits": {"elbow": {"lower": -1.5, "upper": 2, "axes": [{"x": 1}, 0]}, 3: "three"},
}


def value(text, **symbols):
    return evaluate(text, SYMBOLS | symbols, work=Work())


VALUES = r"""
1 + 2 * 3 - 4 / 5
7 // 2, -7 // 2, 7 % 3, -7.5 % 2
2 ** 10, 2 ** -1, 2.0 ** 0.5
-x, +x, ~x, not x
1 << 4, 256 >> 3, 6 & 3, 6 | 3, 6 ^ 3
0x1F + 0b11 + 0o7 + 1_000
1e-3, .5, 1., 1e300 * 1e10
(-1) ** 5001
pi, tau, e, inf
sin(pi / 6) + math.cos(y)
radians(90), degrees(pi)
sqrt(2), hypot(3, 4), atan2(1, -1)
abs(-3), round(2.675, 2), round(2.5), int(3.9), int('7'), float('1e3')
divmod(7, 2), max(1, 5, 3), min(sizes)
ceil(1.2), floor(-1.2), trunc(-1.7), fmod(7, 3), copysign(1, -0.0)
1./12 * x * (3 * y**2 + x**2)
comb(5, 2), factorial(10), gcd(12, 18), lcm(4, 6), isqrt(17), prod([1, 2, 3])
bool(0), bool('a'), True + 1
1 < x <= 3 < 4
x == 3 and y != 3 or none
'yes' if flag else 'no'
x is none, none is None, x is not None
not flag or x > 2
0 or '' or 'last'
1 and 0 and nothing
'arm' in name, 2.5 in sizes, 'q' not in 'abc'
[] == [], (1, 2) < (1, 3), 'a' < 'b'
flag and [x] or [y]
'a' + "b" 'c'
'ab' * 3, 3 * 'ab'
xyz.split(' ')[2]
name.upper().replace('_', '-')
'a, b;c'.split(',')
name.startswith('left') and name.endswith(('arm', 'leg'))
' '.join([str(s) for s in sizes])
name[0], name[-3:], name[::-1]
'%s_%03d is %.2f%%' % (name, x, y)
'%(a)s' % dict(a=1)
'  x '.strip() + 'xx'.lstrip('x')
'a-b'.partition('-')
'7'.zfill(3), 'a'.ljust(3), 'a'.center(4, '*')
str(x) + str(y) + str(sizes) + repr(name)
'Ab'.swapcase(), 'ab'.title(), 'ab'.find('b')
len(name), ord('a'), 'a'.isalpha(), '1'.isdigit()
'left_arm'.removeprefix('left_')
[1, 'a', [2.5, (3,)]]
sizes + [5], (1,) + (2,), [0] * 3
sizes[1], sizes[-1], sizes[:2], sizes[::2]
len(sizes), sum(sizes), sorted([3, 1, 2])
sorted(['bb', 'a'], key=len, reverse=True), max(['a', 'bbb'], key=len)
list(range(3)), list(range(5, 0, -2)), range(3)[1], 2 in range(3)
[*sizes, *range(2)], max(*sizes)
tuple([1, 2]), list('abc'), list(dict(a=1))
list(zip([1, 2], 'ab')), list(enumerate('ab')), list(reversed([1, 2]))
list(map(float, xyz.split())), list(filter(None, [0, 1, 2]))
list(map(max, [1, 5], [4, 2]))
all([1, 2]), any([0, 0])
dict(a=1, b=dict(c=2))['b']['c']
dict([('1a', 1), ('2b', 2)])
{'a': 1, 2: [3]}
{'a': 1}.get('b', 7), list({'a': 1}.items())
limits['elbow']['lower'] * 2
limits[3], limits['elbow']['axes'][0]['x']
'elbow' in limits, list(limits.keys())
sizes.index(4) + sizes.count(1)
isinstance(x, int), isinstance(y, (int, str)), isinstance(limits, dict)
[s * 2 for s in sizes if s > 1]
[(a, b) for a in range(3) for b in range(a)]
{k: v + 1 for k, v in [('a', 1)]}
sum(s for s in sizes)
[[c for c in w] for w in xyz.split()]
[x for x in 'ab'] + [x]
max(len(w) for w in xyz.split())
""".strip().splitlines()


@pytest.mark.parametrize("text", [*VALUES, "  1 +\t2  ", "[1,\n 2]", "(1\n+ 2)"])
def test_values_are_those_of_python(text):
    expected = eval(text.strip(), dict(PYTHON_SYMBOLS))
    found = value(text)
    assert found == expected or (found != found and expected != expected)
    assert repr(found) == repr(expected)


OPERATORS = "+ - * / // % ** < <= == != and or in & | ^ << >>"


def leaves():
    numbers = st.integers(-9, 9) | st.floats(-4, 4, width=16)
    return numbers.map(lambda number: f"({number!r})") | st.sampled_from(
        ["x", "y", "'ab'", "sizes", "flag"]
    )


def combined(inner):
    operators = st.sampled_from(OPERATORS.split())
    pairs = st.tuples(inner, operators, inner).map(lambda t: f"({t[0]} {t[1]} {t[2]})")
    chosen = st.tuples(inner, inner, inner).map(lambda t: f"({t[0]} if {t[1]} else {t[2]})")
    called = st.tuples(st.sampled_from(["abs", "str", "len", "not ", "-", "max", "round"]), inner)
    return pairs | chosen | called.map(lambda t: f"{t[0]}({t[1]})") | inner.map(lambda t: f"[{t}]")


@given(st.recursive(leaves(), combined, max_leaves=8))
def test_drawn_expressions_have_pythons_value_or_are_refused(text):
    try:
        found = value(text)
    except ExpressionError:
        return  # operands that xacro never has, a number that is too large
    except Exception as error:
        with pytest.raises(type(error)):
            eval(text, dict(PYTHON_SYMBOLS))
        return
    assert repr(found) == repr(eval(text, dict(PYTHON_SYMBOLS)))


def test_names_behind_dots_and_in_tables():
    assert value("arm.length * 2") == 5
    assert value("limits.elbow.upper + limits.elbow.axes[0].x") == 3
    assert value("math.pi == pi and python.len(sizes) == 3")
    assert value("xacro.tokenize('a, b;c')") == ["a", "b", "c"]
    assert value("xacro.tokenize('a..b', sep='.', skip_empty=False)") == ["a", "", "b"]
    assert value("xacro.dotify(dict(a=dict(b=1))).a.b") == 1
    assert value("xacro.warning('careful', x) + xacro.message('so')") == ""
    assert value("length", length="1.5") == "1.5"
    assert isinstance(value("limits.elbow"), Dotted)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("lambda: 1", "lambda is not allowed; expected numbers, strings"),
        ("(lambda f: f(f))(lambda f: f(f))", "lambda"),
        ("max(sizes, key=lambda s: -s)", "lambda"),
        ("(n := 1)", "assignment"),
        ("[n := 1, n]", "assignment"),
        ("f'{x}'", "an f-string is not allowed"),
        ("{1, 2}", "a set is not allowed"),
        ("{c for c in 'ab'}", "a set is not allowed"),
        ("1j", "'1j' is not allowed"),
        ("b'bytes'", "not allowed"),
        ("...", "not allowed"),
        ("x @ x", "@ is not allowed"),
        ("await x", "await|expected"),
        ("(yield)", "yield"),
        ("x.__class__", "'__class__' is not allowed: it begins with an underscore"),
        ("().__class__.__base__", "'__class__' is not allowed"),
        ("arm._hidden", "'_hidden' is not allowed"),
        ("limits.__class__", "'__class__' is not allowed"),
        ("name.__len__()", "'__len__' is not allowed"),
        ("sin.__self__", "'__self__' is not allowed"),
        ("math.__dict__", "'__dict__' is not allowed"),
        ("__import__('os')", "'__import__' is not allowed"),
        ("__builtins__", "'__builtins__' is not allowed"),
        ("(s for s in sizes).gi_frame", "a list has no 'gi_frame'"),
        ("sin.call", "a function has no 'call'"),
        ("sizes.append(1)", "no method 'append' here; expected one of: count, index"),
        ("limits.pop('elbow')", "no method 'pop' here"),
        ("limits.update(a=1)", "no method 'update'"),
        ("'{0.__class__}'.format(x)", "no method 'format'"),
        ("'{a}'.format_map(limits)", "no method 'format_map'"),
        ("name.encode()", "no method 'encode'"),
        ("'a'.translate(limits)", "no method 'translate'"),
        ("x.real", "has no 'real'"),
        ("dict(a=1).a", "a dictionary has no 'a': expected a namespace or a dictionary of YAML"),
        ("open('/etc/passwd')", "no function 'open'; expected one of math, of xacro, or of abs"),
        ("eval('1')", "no function 'eval'"),
        ("getattr(x, 'real')", "no function 'getattr'"),
        ("type(x)", "no function 'type'"),
        ("vars(math)", "no function 'vars'"),
        ("python.type(x)", "'type' is not defined"),
        ("nothing + 1", "name 'nothing' is not defined"),
        ("element", "'element' has no value"),
        ("sin", "expected a value, got the function sin"),
        ("[sin]", "expected a value, got the function sin"),
        ("dict(a=sin)", "expected a value"),
        ("str(int), str(sin)", "expected a value"),
        ("math", "expected a value, got a namespace"),
        ("sorted([1], key=3)", "expected a function to call, got a whole number"),
        ("map(3, [1])", "expected a function to call"),
        ("isinstance(x, 3)", "isinstance: expected bool, int"),
        ("x(1)", "expected a function to call, got a whole number"),
        ("(1)(2)", "expected a function to call"),
        ("dict(**limits)", r"\*\* in a call is not allowed"),
        ("{**limits}", r"\*\* in a dictionary is not allowed"),
        ("limits.wrist", "no key 'wrist'; expected one of elbow, 3"),
        ("limits['wrist']", "no key 'wrist'"),
        ("x[0]", r"expected a list or a dictionary before \[, got a whole number"),
        ("'a' - 1", "expected numbers, got a string and a whole number"),
        ("'a' + 1", r"\+: expected numbers, or strings or lists"),
        ("[1] * [2]", r"\*: expected numbers"),
        ("(-1) ** 0.5", "got a complex one"),
        ("-name", "expected a number, got a string"),
        ("[a for a, b in [1]]", "for: expected 2 values, got a whole number"),
        ("[a for a in 5]", "expected a list to go through, got a whole number"),
        ("[a for a.b in sizes]", "expected names after 'for'"),
        ("sum([[1], [2]], [])", "sum: expected numbers"),
        ("xacro.fatal('stop', x)", "stop 3"),
        ("1 +", "syntax"),
        ("", "syntax"),
        ("import os", "syntax"),
        ("x = 1", "syntax"),
        ("1; 2", "syntax"),
        ("1 / 0", "division by zero"),
    ],
)  # fmt: skip
def test_what_is_refused_is_named(text, message):
    with pytest.raises(Exception, match=message):
        value(text)


LONG = """
10 ** 10 ** 10
2 ** 5000
(2 ** 4000) * (2 ** 4000)
1 << 10 ** 12
(10 ** 400) ** 400
prod([2 ** 4000] * 9)
lcm(*range(1, 9999))
factorial(10 ** 9)
comb(10 ** 9, 10 ** 8)
perm(10 ** 6)
round(1, -10 ** 9)
int('9' * 5000)
'a' * 10 ** 10
'a' * 10 ** 5 * 10 ** 5
[0] * 10 ** 10
[[0] * 9999] * 9999
'ab' + 'a' * 199999
' '.join(['a' * 999] * 9999)
('a' * 99999).replace('a', 'bbbb')
('a' * 99999).replace('', 'bbbb')
'a'.ljust(10 ** 10)
'a'.zfill(10 ** 10)
('a' * 999).join('b' * 999)
'%999999999d' % 1
'%.999999999f' % 1
'%*d' % (10 ** 9, 1)
'%((a)1)999999999d' % limits
('%s' * 9999) % tuple(['a' * 999] * 9999)
'%s' * 9999 % limits
range(10 ** 10)
range(-10 ** 30, 10 ** 30)
list(range(10 ** 10))
0.5 in range(10 ** 10)
huge
len(huge)
[i for i in range(10 ** 5) for j in range(10 ** 5)]
[[i for i in range(10 ** 5)] for j in range(10 ** 5)]
{i: j for i in range(10 ** 5) for j in range(10 ** 5)}
sum(i for i in range(10 ** 5) for j in range(10 ** 5))
all([[1] for i in range(10 ** 5) for j in 'abcdefghijklmnopqrstuvwxyz' * 99])
str([[[['a' * 99] * 99] * 99] * 99])
[[[[1] * 99] * 99] * 99] == [[[[1] * 99] * 99] * 99]
list(map(str, range(10 ** 5))) + list(map(repr, range(10 ** 5)))
""".strip().splitlines()
DEEP = [
    "0x" + "f" * 5000,
    "list(zip(" + "range(10 ** 5), " * 99 + "))",
    "-" * 300 + "1",
    "(" * 150 + "1" + ")" * 150 + "+1" * 300,
    "[" * 150 + "]" * 150 + "[0]" * 300,
    "1" + "+1" * 5000,
    "1 if 0 else " * 1500 + "1",
    "not " * 3000 + "1",
    "x" * 20001,
    "(" * 5000,
    "1" + "**1" * 3000,
]


@pytest.mark.parametrize("text", [*LONG, *DEEP])
def test_what_would_take_long_is_refused_by_counting(text):
    work = Work()
    with pytest.raises((ExpressionError, SyntaxError, ValueError)):  # Python's own limit of digits
        evaluate(text, SYMBOLS, work=work)
    assert work.left > -LARGEST_VALUE  # no step costs more


def test_steps_are_counted_over_many_expressions():
    work = Work(1000)
    with pytest.raises(ExpressionError, match="too many steps"):
        for _ in range(1000):
            evaluate("1 + 2", {}, work=work)
    assert work.left < 0


def test_what_is_large_but_real_is_not_refused():
    rows = [{"name": f"joint_{k}", "limits": [-1.5, 1.5]} for k in range(1000)]
    found = evaluate("[r['name'] for r in rows]", {"rows": rows}, work=Work())
    assert found == [row["name"] for row in rows]
    assert value("+".join(["1"] * 150)) == 150
    assert value("2 ** 1000") == 2**1000
    assert len(value("'ab' * 50000")) == 100_000
