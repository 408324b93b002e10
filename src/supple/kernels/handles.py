"""Python objects as kernels see them: arrays and tuples of floats, read where they lie.

Numba takes an array apart and counts it in and out at every call, which costs more than a small
solve. A *handle* is the object itself, not looked at on the way in; the kernel finds the numbers in
it by the layout that Python and NumPy give their objects, after it has made sure of the object's
type. `understood` compares that layout with what they say themselves; where the two differ, no
handle may be used.

What a handle stands for must outlive the call, and nobody may take its numbers away meanwhile: the
interpreter lock is not held. An array or a tuple that the caller holds is such a thing; a list is
not.
"""

from typing import Any

import numpy as np
from numba import carray, types  # pyright: ignore[reportPrivateImportUsage]
from numba.extending import NativeValue, intrinsic, models, register_model, unbox

from supple.kernels.cache import kernel

HEAD = object.__basicsize__  # what every object begins with; the last of it is its type
TYPE = HEAD - 8
DATA, AXES, SHAPE, DTYPE, FLAGS = HEAD, HEAD + 8, HEAD + 16, HEAD + 40, HEAD + 48  # of an array
LENGTH, ITEMS = HEAD, tuple.__basicsize__  # of a tuple
VALUE = HEAD  # of a float
PLAIN = 0x101  # the flags of an array whose numbers lie aligned and in a row

KINDS = (np.ndarray, np.dtype(np.float64), tuple, float, np.float64)
ARRAY, FLOAT64, TUPLE, FLOAT, SCALAR = range(5)  # their addresses, in a table of kinds
KIND_COUNT = 5


class Handle(types.Type):
    """The type of an object that is handed over as it is."""

    def __init__(self) -> None:
        """There is one such type."""
        super().__init__("Handle")


HANDLE = Handle()
register_model(Handle)(models.OpaqueModel)


@unbox(Handle)
def _take(typ: Any, obj: Any, context: Any) -> Any:
    return NativeValue(obj)


def _address(typing: Any, handle: Any) -> Any:
    """Where a handle's object is."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        return builder.ptrtoint(arguments[0], context.get_value_type(types.int64))

    return types.int64(handle), generate


def _pointer(typing: Any, address: Any) -> Any:
    """An address as a pointer."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        return builder.inttoptr(arguments[0], context.get_value_type(types.voidptr))

    return types.voidptr(types.int64), generate


address_of: Any = intrinsic(_address)
pointer: Any = intrinsic(_pointer)


@kernel
def word(address):
    """The whole number, or the address, at an address."""
    return carray(pointer(address), (1,), np.int64)[0]


@kernel
def short(address):
    """The whole number of half a word at an address."""
    return carray(pointer(address), (1,), np.int32)[0]


@kernel
def floats_at(address, count):
    """The floats at an address, shape (count,)."""
    return carray(pointer(address), (count,), np.float64)


@kernel
def ints_at(address, count):
    """The whole numbers at an address, shape (count,)."""
    return carray(pointer(address), (count,), np.int64)


@kernel
def numbers_of(array, kinds, axes):
    """Where the floats of an array lie in a row; 0 if it is no such array of so many axes."""
    if word(array + TYPE) != kinds[ARRAY] or word(array + DTYPE) != kinds[FLOAT64]:
        return 0
    if short(array + AXES) != axes or short(array + FLAGS) & PLAIN != PLAIN:
        return 0
    return word(array + DATA)


@kernel
def extent(array, axis):
    """How long an array is along an axis."""
    return word(word(array + SHAPE) + 8 * axis)


@kernel
def read_floats(thing, kinds, into, at, count):
    """Copy the floats of an array (count,) or a tuple of as many; False if it is neither."""
    if word(thing + TYPE) == kinds[TUPLE]:
        if word(thing + LENGTH) != count:
            return False
        for i in range(count):
            item = word(thing + ITEMS + 8 * i)
            kind = word(item + TYPE)
            if kind != kinds[FLOAT] and kind != kinds[SCALAR]:
                return False
            into[at + i] = floats_at(item + VALUE, 1)[0]
        return True
    found = numbers_of(thing, kinds, 1)
    if found == 0 or extent(thing, 0) != count:
        return False
    numbers = floats_at(found, count)
    for i in range(count):
        into[at + i] = numbers[i]
    return True


@kernel
def _fields(array, pair, number):
    """What the layout says of an array, a tuple and a float, from their own words alone."""
    a, p, n = address_of(array), address_of(pair), address_of(number)
    return (
        (word(a + TYPE), word(a + DATA), short(a + AXES), word(a + DTYPE), short(a + FLAGS)),
        (word(p + TYPE), word(p + LENGTH), word(p + ITEMS), word(p + ITEMS + 8)),
        (word(n + TYPE), floats_at(n + VALUE, 1)[0]),
    )


@kernel
def _extents(array):
    """How long an array of two axes is along each."""
    return extent(address_of(array), 0), extent(address_of(array), 1)


def understood() -> bool:
    """Whether this Python and this NumPy lay out their objects as it is thought here."""
    array, number = np.arange(6.0).reshape(2, 3), 2.5
    pair = (number, array)
    expected = (
        (id(np.ndarray), array.ctypes.data, array.ndim, id(array.dtype), array.flags.num),
        (id(tuple), len(pair), id(number), id(array)),
        (id(float), number),
    )
    return (
        id(array.dtype) == id(KINDS[FLOAT64])
        and entry(_fields, (HANDLE,) * 3)(array, pair, number) == expected
        and entry(_extents, (HANDLE,))(array) == array.shape
    )


def kinds() -> np.ndarray:
    """The table of kinds: what the types of objects are known by in this process."""
    return np.array([id(kind) for kind in KINDS], np.int64)


def entry(kernel: Any, signature: tuple[Any, ...]) -> Any:
    """A kernel compiled, or loaded, for one kind of arguments, to be called with these alone.

    The way past Numba's dispatcher, which asks every argument for its type.
    """
    if signature not in kernel.overloads:
        kernel.compile(signature)
    return kernel.overloads[signature].entry_point
