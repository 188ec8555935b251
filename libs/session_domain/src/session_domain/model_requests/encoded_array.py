"""A JSON array whose elements are encoded already: in pieces for who sends it, decoded for who looks into
it."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, overload

import msgspec

from agent_contracts.json_value import Json

Element = dict[str, Json]

LARGE = 128 * 1024
"""Bytes from which on a part is sent as it is."""


class EncodedArray(Sequence[Element]):
    """Each of `parts` holds one or more elements, joined by commas. `size`: the bytes of all of it."""

    def __init__(self, parts: Sequence[bytes], size: int | None = None) -> None:
        self.parts = parts
        self.size = array_size(sum(map(len, parts)), len(parts)) if size is None else size
        self._elements: list[Element] | None = None

    def joined(self) -> bytes:
        """The array as JSON."""
        return b"[" + b",".join(self.parts) + b"]"

    def sent_in(self, name: str, fields: Mapping[str, Any]) -> list[bytes]:
        """The JSON of an object with the array under this name, and these fields, cut for sending: small
        parts are joined, a large one is sent as it is. So what is large and known is not copied."""
        ended = msgspec.json.encode(fields)
        small, sent = [b'{"%s":[' % name.encode()], list[bytes]()
        for number, part in enumerate(self.parts):
            if number:
                small.append(b",")
            if len(part) < LARGE:
                small.append(part)
            else:
                sent += (b"".join(small), part)
                small = []
        small.append(b"]}" if ended == b"{}" else b"]," + ended[1:])
        return [*sent, b"".join(small)]

    @overload
    def __getitem__(self, index: int) -> Element: ...

    @overload
    def __getitem__(self, index: slice) -> list[Element]: ...

    def __getitem__(self, index: int | slice) -> Element | list[Element]:
        return self._decoded()[index]

    def __iter__(self) -> Iterator[Element]:
        return iter(self._decoded())

    def __len__(self) -> int:
        return len(self._decoded())

    def __bool__(self) -> bool:
        return bool(self.parts)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Sequence) and self._decoded() == list(other)

    __hash__ = None  # type: ignore[assignment]

    def _decoded(self) -> list[Element]:
        if self._elements is None:
            self._elements = msgspec.json.decode(self.joined())
        return self._elements


def encoded(elements: Sequence[Element]) -> EncodedArray:
    """The elements as an encoded array, each of them a part."""
    if isinstance(elements, EncodedArray):
        return elements
    return EncodedArray([msgspec.json.encode(element) for element in elements])


def part_of(elements: Sequence[Element]) -> bytes:
    """Elements as one part of an array; empty if there are none."""
    return msgspec.json.encode(elements)[1:-1]


def array_size(bytes_of_parts: int, parts: int) -> int:
    """The bytes of an array of so many parts, which have so many bytes themselves."""
    return 2 + bytes_of_parts + max(0, parts - 1)
