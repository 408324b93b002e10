"""Restrict this process: memory, computing time, and no writing, programs or network.

A second barrier for workers that read untrusted files: even if one is taken over, it can write and start
nothing. `confine` sets the limits of the operating system where it has them and, on Linux, a seccomp filter
that lets through only the system calls of a program that computes and reads. Imports nothing but the
standard library, so that workers start quickly.
"""

import ctypes
import errno
import os
import platform
import struct
import sys

PAIRS = (  # resource, limit; each for as long as the process lives
    ("RLIMIT_CORE", 0),
    ("RLIMIT_FSIZE", 0),
    ("RLIMIT_NPROC", 0),  # has no effect for root
)

# System calls that are let through: their numbers on x86-64 and on aarch64, None where there is none.
# Linux: arch/x86/entry/syscalls/syscall_64.tbl and include/uapi/asm-generic/unistd.h.
ALLOWED: dict[str, tuple[int | None, int | None]] = {
    # read and write what is open; look at files
    "read": (0, 63), "write": (1, 64), "readv": (19, 65), "writev": (20, 66), "pread64": (17, 67),
    "lseek": (8, 62), "close": (3, 57), "dup": (32, 23), "poll": (7, None), "ppoll": (271, 73),
    "stat": (4, None), "lstat": (6, None), "fstat": (5, 80), "newfstatat": (262, 79),
    "statx": (332, 291), "access": (21, None), "faccessat": (269, 48), "faccessat2": (439, 439),
    "getdents64": (217, 61), "getcwd": (79, 17), "readlink": (89, None), "readlinkat": (267, 78),
    # memory and threads
    "mmap": (9, 222), "munmap": (11, 215), "mremap": (25, 216), "mprotect": (10, 226),
    "madvise": (28, 233), "brk": (12, 214), "futex": (202, 98), "set_robust_list": (273, 99),
    "rseq": (334, 293), "membarrier": (324, 283), "sched_yield": (24, 124),
    "sched_getaffinity": (204, 123), "getcpu": (309, 168),
    # its own signals and ids, time, random numbers, and its end
    "rt_sigaction": (13, 134), "rt_sigprocmask": (14, 135), "rt_sigreturn": (15, 139),
    "sigaltstack": (131, 132), "restart_syscall": (219, 128), "clock_gettime": (228, 113),
    "clock_getres": (229, 114), "clock_nanosleep": (230, 115), "nanosleep": (35, 101),
    "gettimeofday": (96, 169), "time": (201, None), "times": (100, 153), "getrusage": (98, 165),
    "getpid": (39, 172), "gettid": (186, 178), "getuid": (102, 174), "geteuid": (107, 175),
    "getgid": (104, 176), "getegid": (108, 177), "getrandom": (318, 278), "uname": (63, 160),
    "sysinfo": (99, 179), "exit": (60, 93), "exit_group": (231, 94),
}  # fmt: skip
# Let through only with certain arguments.
SYS_OPEN, SYS_OPENAT, SYS_CLONE, SYS_TGKILL = (2, None), (257, 56), (56, 220), (234, 131)
SYS_PRLIMIT, SYS_IOCTL, SYS_FCNTL, SYS_SECCOMP = (302, 261), (16, 29), (72, 25), (317, 277)

WRITE_FLAGS = 0x3 | 0x40 | 0x200 | 0x400  # O_WRONLY, O_RDWR, O_CREAT, O_TRUNC, O_APPEND
CLONE_THREAD = 0x10000
IOCTL_REQUESTS = (0x5401, 0x5451)  # TCGETS, as isatty asks; FIOCLEX
FCNTL_COMMANDS = (1, 2, 3, 1030)  # F_GETFD, F_SETFD, F_GETFL, F_DUPFD_CLOEXEC
# Calls from this number on are the same on all machines; libraries try them, and expect ENOSYS.
FIRST_SHARED_SYSCALL = 424

# linux/filter.h, linux/seccomp.h, linux/audit.h, linux/prctl.h
BPF_LOAD, BPF_RETURN = 0x20, 0x06
BPF_JUMP_EQUAL, BPF_JUMP_AT_LEAST, BPF_JUMP_ANY_BIT = 0x15, 0x35, 0x45
SECCOMP_RET_ALLOW, SECCOMP_RET_ERRNO = 0x7FFF0000, 0x00050000
X32_SYSCALL_BIT = 0x40000000  # bit of the calls of x32 on x86-64
MACHINES = {"x86_64": (0, 0xC000003E), "aarch64": (1, 0xC00000B7)}  # column of the table, arch
PR_SET_NO_NEW_PRIVS, PR_SET_SECCOMP = 38, 22
SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_TSYNC, SECCOMP_MODE_FILTER = 1, 1, 2


def confine(*, memory: int, seconds: int, files: bool) -> None:
    """Restrict this process permanently, as far as the operating system can.

    Args:
        memory: Limit of memory beyond what is taken already [B].
        seconds: Limit of computing time, including what was used already [s].
        files: True if it may still open files for reading.
    """
    _limit(memory, seconds)
    column, arch = MACHINES.get(platform.machine(), (None, 0))
    little = sys.byteorder == "little" and ctypes.sizeof(ctypes.c_void_p) == 8
    if sys.platform == "linux" and column is not None and little:
        _install(_program(column, arch, files=files), column)


def _limit(memory: int, seconds: int) -> None:
    try:
        import resource
    except ImportError:  # Windows
        return
    pairs = [*PAIRS, ("RLIMIT_CPU", seconds)]
    try:
        with open("/proc/self/statm") as file:
            taken = int(file.read().split()[0]) * resource.getpagesize()
        pairs.append(("RLIMIT_AS", taken + memory))
    except OSError:  # not Linux: what is taken is not known
        pass
    for name, most in pairs:
        try:
            resource.setrlimit(getattr(resource, name), (most, most))
        except (AttributeError, OSError, ValueError):  # not on this system
            continue


def _program(column: int, arch: int, *, files: bool) -> list[tuple[int, int, int, int]]:
    """The filter: instructions as (code, jump if true, jump if false, k), see seccomp(2).

    A block tests the number of the call, which is loaded; one that matches ends in a return.
    """
    let = (BPF_RETURN, 0, 0, SECCOMP_RET_ALLOW)
    refuse = (BPF_RETURN, 0, 0, SECCOMP_RET_ERRNO | errno.EPERM)
    unknown = (BPF_RETURN, 0, 0, SECCOMP_RET_ERRNO | errno.ENOSYS)
    made = [(BPF_LOAD, 0, 0, 4), (BPF_JUMP_EQUAL, 1, 0, arch), refuse, (BPF_LOAD, 0, 0, 0)]
    if column == 0:
        made += [(BPF_JUMP_AT_LEAST, 0, 1, X32_SYSCALL_BIT), refuse]

    def block(numbers: tuple[int | None, int | None], *inner: tuple[int, int, int, int]) -> None:
        number = numbers[column]
        if number is not None:
            made.extend([(BPF_JUMP_EQUAL, 0, len(inner), number), *inner])

    def low(argument: int) -> tuple[int, int, int, int]:
        return (BPF_LOAD, 0, 0, 16 + 8 * argument)

    for numbers in ALLOWED.values():
        block(numbers, let)
    if files:
        block(SYS_OPEN, low(1), (BPF_JUMP_ANY_BIT, 0, 1, WRITE_FLAGS), refuse, let)
        block(SYS_OPENAT, low(2), (BPF_JUMP_ANY_BIT, 0, 1, WRITE_FLAGS), refuse, let)
    block(SYS_CLONE, low(0), (BPF_JUMP_ANY_BIT, 0, 1, CLONE_THREAD), let, refuse)
    block(SYS_TGKILL, low(0), (BPF_JUMP_EQUAL, 0, 1, os.getpid()), let, refuse)  # abort()
    high = (BPF_LOAD, 0, 0, 16 + 8 * 2 + 4)
    no_new_limit = ((BPF_JUMP_EQUAL, 0, 3, 0), high, (BPF_JUMP_EQUAL, 0, 1, 0))  # asking only
    block(SYS_PRLIMIT, low(2), *no_new_limit, let, refuse)
    for numbers, values in ((SYS_IOCTL, IOCTL_REQUESTS), (SYS_FCNTL, FCNTL_COMMANDS)):
        checks = [one for value in values for one in ((BPF_JUMP_EQUAL, 0, 1, value), let)]
        block(numbers, low(1), *checks, refuse)
    made += [(BPF_JUMP_AT_LEAST, 0, 1, FIRST_SHARED_SYSCALL), unknown, refuse]
    return made


def _install(program: list[tuple[int, int, int, int]], column: int) -> None:
    """Install a filter for all threads; does nothing if the kernel has no seccomp."""
    code = b"".join(struct.pack("=HBBI", *one) for one in program)
    text = ctypes.create_string_buffer(code, len(code))
    header = struct.pack("@HP", len(program), ctypes.addressof(text))  # struct sock_fprog
    prog = ctypes.create_string_buffer(header, len(header))
    library = ctypes.CDLL(None, use_errno=True)
    zero, where = ctypes.c_ulong(0), ctypes.c_void_p(ctypes.addressof(prog))
    if library.prctl(PR_SET_NO_NEW_PRIVS, ctypes.c_ulong(1), zero, zero, zero) != 0:
        return
    number, all_threads = SYS_SECCOMP[column], ctypes.c_ulong(SECCOMP_FILTER_FLAG_TSYNC)
    mode = ctypes.c_ulong(SECCOMP_SET_MODE_FILTER)
    if library.syscall(ctypes.c_long(number), mode, all_threads, where) != 0:
        library.prctl(PR_SET_SECCOMP, ctypes.c_ulong(SECCOMP_MODE_FILTER), where, zero, zero)
