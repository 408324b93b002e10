"""The second barrier by itself: a confined process can compute and read, and nothing else."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from supple.apps.formats import confined

pytestmark = pytest.mark.skipif(
    not Path("/proc/sys/kernel/seccomp").exists() or os.uname().machine not in confined.MACHINES,
    reason="seccomp is of Linux, and the filter of two machines",
)

# Confines itself, tries one thing, and tells what came of it.
SCRIPT = """
import sys
sys.path.insert(0, sys.argv[1])
import ctypes, errno, mmap, os, resource, socket, threading
import _posixshmem, _posixsubprocess, readline
import confined

pipe = os.pipe()
file = os.open(sys.argv[2], os.O_RDWR)
confined.confine(memory=256 << 20, seconds=20, files=sys.argv[4] == "files")
kept, made = sys.argv[2], sys.argv[2] + "-made"
library = ctypes.CDLL(None, use_errno=True)

def system_call(*given):
    if library.syscall(*given) < 0:
        raise OSError(ctypes.get_errno(), "refused")

def fork_exec():
    _posixsubprocess.fork_exec([b"touch", made.encode()], [b"/usr/bin/touch"], True, (), None, None, -1, -1, -1, -1,
                               -1, -1, *pipe, False, False, -1, None, None, None, -1, None, False)

def thread():
    one = threading.Thread(target=lambda: None)
    one.start()
    one.join()

try:
    exec(sys.argv[3])
except (OSError, ValueError, MemoryError) as error:
    print(errno.errorcode.get(getattr(error, "errno", None), type(error).__name__))
else:
    print("done")
"""


@pytest.fixture
def attempt(tmp_path):
    """Run a line of Python in a confined process; return what came of it."""
    kept = tmp_path / "kept"
    kept.write_text("as it was")

    def run(line, files=True):
        done = subprocess.run(
            [
                sys.executable,
                "-c",
                SCRIPT,
                str(Path(confined.__file__).parent),
                str(kept),
                line,
                "files" if files else "none",
            ],
            capture_output=True,
            text=True,
            check=False,
        )
        assert not done.stderr, done.stderr
        assert [one.name for one in tmp_path.iterdir()] == ["kept"]
        assert kept.read_text() == "as it was"
        return done.stdout.strip()

    return run


@pytest.mark.parametrize(
    "line",
    [
        "fork_exec()",
        "os.fork()",
        "os.execv('/bin/true', ['true'])",
        "os.posix_spawn('/bin/true', ['true'], {})",
        "os.mknod(made)",
        "os.mkfifo(made)",
        "os.mkdir(made)",
        "os.symlink(kept, made)",
        "os.link(kept, made)",
        "os.rename(kept, made)",
        "os.unlink(kept)",
        "os.truncate(kept, 0)",
        "os.ftruncate(file, 0)",
        "os.chmod(kept, 0)",
        "os.utime(kept)",
        "os.setxattr(kept, 'user.a', b'1')",
        "open(made, 'w')",
        "open(kept, 'w')",
        "open(kept, 'a')",
        "open(kept, 'r+')",
        "os.open(kept, os.O_RDONLY | os.O_TRUNC)",
        "os.open(made, os.O_RDONLY | os.O_CREAT)",
        "os.open(os.path.dirname(kept), os.O_TMPFILE | os.O_RDWR)",
        "os.memfd_create('a')",
        "readline.write_history_file(made)",
        "_posixshmem.shm_open('/supple-test', 66, mode=384)",
        "socket.socket()",
        "socket.socket(socket.AF_UNIX)",
        "socket.socketpair()",
        "os.pipe()",
        "os.kill(os.getppid(), 0)",
        "os.chdir('/')",
        "resource.prlimit(os.getppid(), resource.RLIMIT_CPU, (1, 1))",
        "os.nice(1)",
    ],
)
def test_what_makes_or_starts_is_refused(attempt, line):
    assert attempt(line) == "EPERM"


@pytest.mark.parametrize(
    ("line", "answer"),
    [
        ("os.write(file, b'x')", "EFBIG"),  # a file that was open before
        ("resource.setrlimit(resource.RLIMIT_CPU, (99, 99))", "ValueError|EPERM"),
        ("resource.setrlimit(resource.RLIMIT_CPU, (1, 1))", "ValueError|EPERM"),
        ("bytearray(1 << 30)", "MemoryError"),
        ("mmap.mmap(-1, 1 << 30)", "ENOMEM"),
        ("os.pidfd_open(1)", "ENOSYS"),
        ("system_call(425, 1, 0)", "ENOSYS"),  # io_uring_setup
        ("system_call(435, 0, 0)", "ENOSYS"),  # clone3
        ("system_call(437, -100, 0, 0, 0)", "ENOSYS"),  # openat2
        ("assert open(kept).read() == 'as it was'", "done"),
        ("assert os.listdir(os.path.dirname(kept)) == ['kept']", "done"),
        ("assert os.path.realpath(kept) and resource.getrlimit(resource.RLIMIT_CORE) == (0, 0)", "done"),
        ("bytearray(1 << 20)", "done"),
    ],
)  # fmt: skip
def test_what_is_limited_and_what_is_left(attempt, line, answer):
    assert attempt(line) in answer.split("|")


def test_files_can_be_refused_altogether(attempt):
    assert attempt("open(kept)", files=False) == "EPERM"
    assert attempt("os.open('/etc/hostname', 0)", files=False) == "EPERM"


@pytest.mark.skipif(os.name != "posix" or os.getuid() != 0, reason="others may start no thread")
def test_threads_of_its_own_are_left(attempt):
    assert attempt("thread()") == "done"


def test_a_kernel_without_seccomp_leaves_the_other_limits(monkeypatch):
    class Library:
        prctl = staticmethod(lambda *given: -1)

    monkeypatch.setattr(confined.ctypes, "CDLL", lambda *given, **named: Library)
    confined._install([(6, 0, 0, 0)], 0)
