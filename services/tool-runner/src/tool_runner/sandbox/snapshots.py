"""Libraries evaluated once: the memory of the guest that did, kept to be laid under later instances."""

import time
from collections import OrderedDict

import wasmtime

from tool_runner.sandbox.engine import Guest
from tool_runner.sandbox.images import Images, MemoryImage
from tool_runner.sandbox.instance import BadPointer, Instance
from tool_runner.sandbox.limits import MIB, RunLimits

KEPT_BYTES = 64 * MIB
"""Bytes of images that one worker keeps: some twenty sets of libraries."""
_MOST_KNOWN = 1000
_LONGEST_S = 2.0
_STUCK = 2

Key = tuple[tuple[tuple[str, bytes], ...], int]


class GuestSnapshots:
    """By libraries. There is none where they can't be evaluated ahead of a run: where they fail, call the
    host, log, or read the clock or randomness. Then each run evaluates them itself."""

    def __init__(self, code: Guest) -> None:
        self._code = code
        self._images = Images()
        self._known: OrderedDict[Key, MemoryImage | None] = OrderedDict()

    def of(self, libraries: dict[str, bytes], sources: bytes, limits: RunLimits) -> MemoryImage | None:
        """The memory in which these libraries (name to digest) are loaded, made now if it must be.

        `sources` is the JSON object of their code.
        """
        key = (tuple(sorted(libraries.items())), limits.heap)
        if key in self._known:
            self._known.move_to_end(key)
            return self._known[key]
        made = self._known[key] = self._made(sources, limits)
        while len(self._known) > 1 and (self.kept > KEPT_BYTES or len(self._known) > _MOST_KNOWN):
            self._known.popitem(last=False)
        return made

    @property
    def kept(self) -> int:
        """Bytes of images."""
        return sum(image.kept for image in self._known.values() if image)

    def close(self) -> None:
        """Give all of it back."""
        self._known.clear()
        self._images.close()

    def _made(self, sources: bytes, limits: RunLimits) -> MemoryImage | None:
        instance = Instance(self._code, limits.memory, limits.heap, 1)
        try:
            call = instance.begin("box_preload", sources, 0)
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
            memory = instance.memory()
            return self._images.add(memory) if len(memory) <= KEPT_BYTES else None
        except (wasmtime.Trap, wasmtime.WasmtimeError, BadPointer, OSError):
            return None
        finally:
            instance.close()
