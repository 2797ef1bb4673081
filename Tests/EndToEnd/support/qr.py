"""A decoder for undamaged QR codes (ISO/IEC 18004) of versions 1 to 3 with error correction level M."""

import re
from collections.abc import Iterator

Modules = list[list[bool]]
FORMAT_MASK = 0x5412
LEVEL_M = 0
END, DIGITS, CHARACTERS, BYTES = 0, 1, 2, 4
ALPHABET = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ $%*+-./:"
# The number of data codewords for each version, in one block.
DATA = {1: 16, 2: 28, 3: 44}
# Section 7.8.2: whether to invert the module at a row and column.
MASKS = (
    lambda i, j: (i + j) % 2,
    lambda i, j: i % 2,
    lambda i, j: j % 3,
    lambda i, j: (i + j) % 3,
    lambda i, j: (i // 2 + j // 3) % 2,
    lambda i, j: (i * j) % 2 + (i * j) % 3,
    lambda i, j: ((i * j) % 2 + (i * j) % 3) % 2,
    lambda i, j: ((i + j) % 2 + (i * j) % 3) % 2,
)


def of_text(text: str) -> Modules:
    """Returns the modules of a code in block characters. The characters are light on a dark terminal."""
    lines = [line for line in text.splitlines() if line and set(line) <= set("█▀▄ ")]
    halves = [[character in dark for character in line] for line in lines for dark in (" ▄", " ▀")]
    return _cropped(halves)


def of_svg(svg: str) -> Modules:
    """Returns the modules of a code. Its path contains a square for each dark module."""
    size = re.search(r'viewBox="0 0 (\d+) \1"', svg)
    assert size, svg[:200]
    dark = {(int(y), int(x)) for x, y in re.findall(r"M(\d+) (\d+)h1v1h-1z", svg)}
    side = range(int(size[1]))
    modules = [[(row, column) in dark for column in side] for row in side]
    assert not any(any(line[:4] + line[-4:]) for line in modules), "no quiet zone of four modules"
    return _cropped(modules)


def decode(modules: Modules) -> str:
    side = len(modules)
    version, rest = divmod(side - 17, 4)
    assert rest == 0 and version in DATA and all(len(line) == side for line in modules), f"{side} modules"
    bits = "".join(str(int(bit)) for bit in _data(modules, version))
    return _text(bits[: DATA[version] * 8])


def _text(bits: str) -> str:
    """Returns the text of the segments. Each segment has a mode, a count and data (section 7.4)."""
    at = 0

    def take(width: int) -> int:
        nonlocal at
        assert at + width <= len(bits), "a segment ends early"
        at += width
        return int(bits[at - width : at], 2)

    text = ""
    while len(bits) - at >= 4 and (mode := take(4)) != END:
        if mode == BYTES:
            text += bytes(take(8) for _ in range(take(8))).decode()
        elif mode == CHARACTERS:
            count = take(9)
            for _ in range(count // 2):
                text += "".join(ALPHABET[index] for index in divmod(take(11), len(ALPHABET)))
            text += ALPHABET[take(6)] if count % 2 else ""
        else:
            assert mode == DIGITS, f"mode {mode}"
            count = take(10)
            text += "".join(f"{take(10):03}" for _ in range(count // 3))
            text += f"{take(3 * (count % 3) + 1):0{count % 3}}" if count % 3 else ""
    return text


def _cropped(modules: Modules) -> Modules:
    rows = [index for index, line in enumerate(modules) if any(line)]
    columns = [index for index, column in enumerate(zip(*modules, strict=True)) if any(column)]
    assert rows and columns, "no dark module"
    return [line[columns[0] : columns[-1] + 1] for line in modules[rows[0] : rows[-1] + 1]]


def _data(modules: Modules, version: int) -> Iterator[bool]:
    """Returns the bits of the codewords, in order."""
    side = len(modules)
    around = [(8, column) for column in (0, 1, 2, 3, 4, 5, 7, 8)] + [(row, 8) for row in (7, 5, 4, 3, 2, 1, 0)]
    found = int("".join(str(int(modules[row][column])) for row, column in around), 2) ^ FORMAT_MASK
    assert found >> 13 == LEVEL_M, f"level {found >> 13}"
    mask = MASKS[found >> 10 & 7]

    def is_data(row: int, column: int) -> bool:
        in_corner = (row < 9 and (column < 9 or column >= side - 8)) or (row >= side - 8 and column < 9)
        middle = side - 7
        is_aligning = version > 1 and abs(row - middle) <= 2 and abs(column - middle) <= 2
        return not (in_corner or is_aligning or row == 6 or column == 6)

    is_upward = True
    for right in [*range(side - 1, 6, -2), 5, 3, 1]:
        for row in reversed(range(side)) if is_upward else range(side):
            for column in (right, right - 1):
                if is_data(row, column):
                    yield modules[row][column] != (mask(row, column) == 0)
        is_upward = not is_upward
