"""System calls on files, as strace writes them down with `-ff -ttt -T -xx -y`."""

import re
from collections.abc import Iterator
from pathlib import Path

import msgspec

OF_NAMES = frozenset(
    {"truncate", "rename", "renameat", "renameat2", "unlink", "unlinkat", "mkdir", "mkdirat", "rmdir"}
)
"""Calls that name files by their paths."""

TRACED = OF_NAMES | frozenset(
    {"openat", "write", "pwrite64", "writev", "pwritev", "ftruncate", "fsync", "fdatasync", "lseek"}
)
"""What changes files, or says when a change is on the disk."""

_LINE = re.compile(r"(\d+\.\d+) (\w+)\((.*)\)\s+= (-?\d+)(?:<([^>]*)>)?.*<(\d+\.\d+)>$")
_DESCRIPTOR = re.compile(r"\w+<(\\x[^>]*)>")


class FileCall(msgspec.Struct, frozen=True):
    """One call that went well. `done` is when it was over, in seconds since 1970 by the machine's clock;
    `opened` the path of the file that it opened."""

    done: float
    name: str
    arguments: tuple[str, ...]
    result: int
    opened: str

    @property
    def file(self) -> str:
        """The path of the file that a call on a descriptor is about; "" where it has none."""
        found = _DESCRIPTOR.match(self.arguments[0])
        return _plain(found[1]).decode() if found else ""

    @property
    def names(self) -> list[str]:
        """The paths in the arguments, for a call on names."""
        return [self.data(place).decode() for place, one in enumerate(self.arguments) if one[0] == '"']

    def data(self, number: int) -> bytes:
        """The bytes in argument `number`."""
        argument = self.arguments[number]
        if argument.endswith("..."):
            raise ValueError(f"strace cut off what {self.name} was given")
        return _plain(argument.strip('"'))

    def number(self, number: int) -> int:
        """The number in argument `number`: of a descriptor, or a size or place."""
        return int(self.arguments[number].partition("<")[0])


def read_calls(prefix: Path) -> list[FileCall]:
    """All calls of a trace, a file a thread, in the order in which they were over."""
    files = prefix.parent.glob(f"{prefix.name}.*")
    return sorted((call for file in files for call in _calls_in(file)), key=lambda call: call.done)


def _calls_in(file: Path) -> Iterator[FileCall]:
    with file.open(encoding="ascii") as lines:
        for line in lines:
            found = _LINE.match(line)
            if found is None:
                continue  # a signal, the thread's end, a call that never returned
            at, name, arguments, result, opened, took = found.groups()
            if int(result) >= 0:
                split = tuple(part.strip() for part in arguments.split(", "))
                path = _plain(opened or "").decode()
                yield FileCall(float(at) + float(took), name, split, int(result), path)


def _plain(escaped: str) -> bytes:
    return bytes.fromhex(escaped.replace("\\x", ""))
