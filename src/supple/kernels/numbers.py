"""Numbers in text: read from bytes and written to bytes, many at a time.

Reading rounds as `float` does for up to 19 digits and exponents within 250. The digits are an integer of at most 64
bits, split into two doubles. Powers of ten up to 22 are exact doubles, so products and quotients with
their remainders (Dekker 1971) keep about 100 bits until the end. Longer numbers are left to the caller, one token at
a time.
"""

import numpy as np

from supple.kernels.decorators import entry, kernel

POWERS = np.array([float(10**k) for k in range(23)])
DEKKER_SPLITTER = 134217729.0  # 2**27 + 1: splits a double into two halves whose products are exact
# Another digit fits while the integer is at most this.
TENTH_OF_MOST = np.uint64(1844674407370955160)

LARGEST_EXACT = np.uint64(1 << 53)  # integers up to this are exact doubles
TEN, LOW_BITS = np.uint64(10), np.uint64(2047)

# How reading ended: all read, no room, not a number, left to the caller.
OK, FULL, WORD, HARD = 0, 1, 2, 3


@kernel
def _product_error(a, b, product):
    """The exact a * b minus `product`, its rounded value."""
    x = DEKKER_SPLITTER * a
    a_high = x - (x - a)
    a_low = a - a_high
    x = DEKKER_SPLITTER * b
    b_high = x - (x - b)
    b_low = b - b_high
    return ((a_high * b_high - product) + a_high * b_low + a_low * b_high) + a_low * b_low


@kernel
def _scaled(digits, exponent, powers):
    """An integer of up to 64 bits times a power of ten, in steps of at most 22."""
    low = digits & LOW_BITS
    high = float(digits - low)  # at most 53 bits are left
    value = high + float(low)
    rest = float(low) - (value - high)
    while exponent != 0:
        step = min(abs(exponent), 22)
        power = powers[step]
        if exponent > 0:
            product = value * power
            rest = _product_error(value, power, product) + rest * power
            value = product
            exponent -= step
        else:
            quotient = value / power
            back = quotient * power
            left = (value - back) - _product_error(quotient, power, back)
            rest = (left + rest) / power
            value = quotient
            exponent += step
        total = value + rest
        rest -= total - value
        value = total
    return value + rest


@entry("u1 i i f1 f1 i i1 i1")
def read_numbers(text, start, stop, powers, out, first, rows, state):
    """Read numbers between blanks from text[start:stop] into out[first:], row by row of lines.

    `rows` holds, for each complete line with numbers, how many numbers precede its end. Reading stops at a token that
    it cannot read, or when there is no more room, and writes into `state`: how it ended, the position in the
    text, how many numbers out holds, how many such lines.

    Args:
        text: Bytes (uint8).
        start: Where to begin.
        stop: Where to end.
        powers: `POWERS`.
        out: Receives the numbers.
        first: How many it holds already.
        rows: Receives how many numbers precede the end of each line.
        state: Four integers; the last is also read, as the number of lines so far.
    """
    at = start
    count = first
    lines = state[3]
    before = rows[lines - 1] if lines > 0 else 0
    ended = OK
    while at < stop:
        c = text[at]
        if c == 10 or c == 13:
            if count > before:
                if lines == len(rows):
                    ended = FULL
                    break
                rows[lines] = count
                lines += 1
                before = count
            at += 1
            continue
        if c == 32 or c == 9 or c == 11 or c == 12:
            at += 1
            continue
        if count == len(out):
            ended = FULL
            break
        token = at
        negative = c == 45
        if negative or c == 43:
            at += 1
        digits = np.uint64(0)
        exponent = 0
        seen = False
        hard = False
        while at < stop:
            d = int(text[at]) - 48
            if d < 0 or d > 9:
                break
            seen = True
            if digits <= TENTH_OF_MOST:
                digits = digits * TEN + np.uint64(d)
            else:
                hard = True
            at += 1
        if at < stop and text[at] == 46:
            at += 1
            while at < stop:
                d = int(text[at]) - 48
                if d < 0 or d > 9:
                    break
                seen = True
                if digits <= TENTH_OF_MOST:
                    digits = digits * TEN + np.uint64(d)
                    exponent -= 1
                else:
                    hard = True
                at += 1
        if seen and at < stop and (text[at] | 32) == 101:
            at += 1
            down = at < stop and text[at] == 45
            if at < stop and (text[at] == 45 or text[at] == 43):
                at += 1
            power = 0
            seen = False
            while at < stop:
                d = int(text[at]) - 48
                if d < 0 or d > 9:
                    break
                seen = True
                if power < 100000:
                    power = power * 10 + d
                at += 1
            exponent += -power if down else power
        if not seen or (at < stop and text[at] > 32):
            at = token
            ended = WORD
            break
        if digits == np.uint64(0) and not hard:
            value = 0.0
        elif hard or abs(exponent) > 250:
            at = token
            ended = HARD
            break
        elif digits <= LARGEST_EXACT and abs(exponent) <= 22:
            whole = float(digits)
            value = whole * powers[exponent] if exponent >= 0 else whole / powers[-exponent]
        else:
            value = _scaled(digits, exponent, powers)
        out[count] = -value if negative else value
        count += 1
    state[0] = ended
    state[1] = at
    state[2] = count
    state[3] = lines


@entry("f2 i1 i u1 -> i")
def write_numbers(values, digits, separator, out):
    """Write rows of numbers (F, C) as text, each column with its number of digits after the point.

    Rounds to nearest and omits trailing zeros. A separator stands between numbers, a line end after each row.
    Numbers must be finite and below 1e15.

    Args:
        values: The numbers.
        digits: Digits after the point, 0 to 15, shape (C,).
        separator: The byte between two numbers.
        out: Buffer of 34 bytes per number (uint8).

    Returns:
        How many bytes were written.
    """
    at = 0
    for f in range(values.shape[0]):
        for k in range(values.shape[1]):
            unit = 1
            for _ in range(digits[k]):
                unit *= 10
            value = values[f, k]
            size = abs(value)
            whole = int(size)
            part = int((size - whole) * unit + 0.5)
            if part >= unit:
                part -= unit
                whole += 1
            if value < 0 and (whole > 0 or part > 0):
                out[at] = 45
                at += 1
            n, left = 1, whole
            while left >= 10:
                left //= 10
                n += 1
            for i in range(n - 1, -1, -1):
                out[at + i] = 48 + whole % 10
                whole //= 10
            at += n
            if part > 0:
                out[at] = 46
                at += 1
                place = unit // 10
                while part > 0:
                    out[at] = 48 + part // place
                    part %= place
                    place //= 10
                    at += 1
            out[at] = separator if k + 1 < values.shape[1] else 10
            at += 1
    return at
