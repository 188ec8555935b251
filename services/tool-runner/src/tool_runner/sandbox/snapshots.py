"""Libraries evaluated once: what they change in a guest's memory, kept to be restored in later instances."""

import time
from collections import OrderedDict
from hashlib import sha256

import msgspec
import wasmtime

from tool_runner.sandbox.engine import Guest
from tool_runner.sandbox.instance import BadPointer, Instance
from tool_runner.sandbox.limits import Limits

_PAGE = 4096
_KEPT_BYTES = 64 * 1024 * 1024
_LONGEST_S = 2.0
_STUCK = 2


class Snapshot:
    """The pages that differ from a fresh instance's."""

    def __init__(self, size: int, runs: list[tuple[int, bytes]]) -> None:
        self.size = size
        self.runs = runs
        self.bytes = sum(len(data) for _, data in runs)


class Snapshots:
    """By libraries. There is none where they can't be evaluated ahead of a run: where they fail, call the
    host, log, or read the clock or randomness. Then each run evaluates them itself."""

    def __init__(self, code: Guest) -> None:
        self._code = code
        self._kept: OrderedDict[bytes, Snapshot | None] = OrderedDict()

    def of(self, libraries: dict[str, str], limits: Limits) -> Snapshot | None:
        """The snapshot of these libraries, made now if it must be."""
        key = sha256(msgspec.msgpack.encode([sorted(libraries.items()), limits.heap])).digest()
        if key in self._kept:
            self._kept.move_to_end(key)
            return self._kept[key]
        made = self._kept[key] = self._made(libraries, limits)
        while len(self._kept) > 1 and self._bytes() > _KEPT_BYTES:
            self._kept.popitem(last=False)
        return made

    def _bytes(self) -> int:
        return sum(snapshot.bytes for snapshot in self._kept.values() if snapshot)

    def _made(self, libraries: dict[str, str], limits: Limits) -> Snapshot | None:
        base = Instance(self._code, limits.memory, limits.heap, 1)
        instance = Instance(self._code, limits.memory, limits.heap, 1)
        try:
            call = instance.begin("box_preload", msgspec.json.encode(libraries), 0)
            if call is None:
                return None
            try:
                end = time.monotonic() + min(_LONGEST_S, limits.cpu_s)
                while not call.poll():
                    if time.monotonic() > end:
                        return None
                if call.result() != _STUCK or instance.impure or instance.frames():
                    return None
            finally:
                call.drop()
            return Snapshot(instance.size, _differences(base.image(), instance.image()))
        except (wasmtime.Trap, wasmtime.WasmtimeError, BadPointer):
            return None
        finally:
            instance.close()
            base.close()


def _differences(before: bytes, after: bytes) -> list[tuple[int, bytes]]:
    before += bytes(len(after) - len(before))
    ranges: list[tuple[int, int]] = []
    for start in range(0, len(after), _PAGE):
        if before[start : start + _PAGE] != after[start : start + _PAGE]:
            if ranges and ranges[-1][1] == start:
                ranges[-1] = (ranges[-1][0], start + _PAGE)
            else:
                ranges.append((start, start + _PAGE))
    return [(start, after[start:end]) for start, end in ranges]
