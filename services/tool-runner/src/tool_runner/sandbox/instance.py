"""One fresh sandbox: a store, an instance of the guest, and the memory they share with us."""

import ctypes
import struct

import wasmtime
from wasmtime import _ffi as ffi

from tool_runner.sandbox import guest
from tool_runner.sandbox.engine import Guest
from tool_runner.sandbox.fiber import Fiber
from tool_runner.sandbox.limits import LARGEST_MEMORY

_WASM_PAGE = 65536


class BadPointer(Exception):
    """The guest named memory that it does not have."""


class Instance:
    """Never used for a second run. Not thread safe; what the guest says of its memory is checked."""

    def __init__(self, code: Guest, memory: int, heap: int, seed: int) -> None:
        self._code = code
        self.store = wasmtime.Store(code.engine)
        self.store.set_limits(memory_size=min(memory, LARGEST_MEMORY), instances=1, memories=1, tables=1)
        self.store.set_epoch_deadline(1 << 40)
        exports = code.template.instantiate(self.store).exports(self.store)
        found = exports["memory"]
        assert isinstance(found, wasmtime.Memory)
        self._memory = found
        self._functions = {
            name: exports[name] for name in ("box_alloc", "box_start", "box_step", "box_preload")
        }
        # It does not move while the instance lives: wasmtime reserves all that 32 bits can address.
        self._base = ctypes.addressof(self._memory.data_ptr(self.store).contents)
        self._poke("<QII", guest.SEED, seed & (1 << 64) - 1, guest.CLOCK_TICK_US, heap)
        # From here on every epoch ends a slice. What this returns is garbage.
        self.store.set_epoch_deadline(1)
        ffi.wasmtime_context_epoch_deadline_async_yield_and_update(self.store._context(), 1)

    def begin(self, entry: str, payload: bytes, now_us: int) -> Fiber | None:
        """Call `box_start`, `box_step` or `box_preload`; None where the payload finds no room in it."""
        self._poke("<I", guest.INTERRUPT, 0)
        self._poke("<QQ", guest.CLOCKS, now_us, now_us)
        allocating = Fiber(self.store, self._function("box_alloc"), len(payload))
        while not allocating.poll():
            pass
        address = allocating.result() & 0xFFFFFFFF
        if not address:
            return None
        if address + len(payload) > self.size:
            raise BadPointer("the guest's allocator gave memory that is not there")
        ctypes.memmove(self._base + address, payload, len(payload))
        return Fiber(self.store, self._function(entry), address, len(payload))

    def interrupt(self) -> None:
        """Let the JavaScript that runs end with an exception that it can't catch."""
        self._poke("<I", guest.INTERRUPT, 1)

    def frames(self) -> list[bytes]:
        """What the last step left. Raises BadPointer."""
        address, length = self._peek("<II", guest.OUT)
        if not length:
            return []
        if address + length > self.size:
            raise BadPointer("the guest's frames are not in its memory")
        return ctypes.string_at(self._base + address, length).splitlines()

    @property
    def size(self) -> int:
        """Bytes of memory now."""
        return int(self._memory.data_len(self.store))

    @property
    def heap_used(self) -> int:
        """Bytes of JavaScript heap at the end of the last step."""
        return int(self._peek("<I", guest.HEAP_USED)[0])

    @property
    def impure(self) -> bool:
        """Whether the last step read the clock or randomness."""
        return bool(self._peek("<I", guest.IMPURE)[0])

    def image(self) -> bytes:
        """All of its memory."""
        return ctypes.string_at(self._base, self.size)

    def restore(self, size: int, runs: list[tuple[int, bytes]]) -> bool:
        """Put memory back as it was in another instance; False where the limit leaves no room."""
        if (missing := size - self.size) > 0:
            try:
                self._memory.grow(self.store, missing // _WASM_PAGE)
            except wasmtime.WasmtimeError:
                return False
        for offset, data in runs:
            ctypes.memmove(self._base + offset, data, len(data))
        return True

    def configure(self, seed: int, heap: int) -> None:
        """Set seed and heap again, after `restore` has put those of another instance in their place."""
        self._poke("<QII", guest.SEED, seed & (1 << 64) - 1, guest.CLOCK_TICK_US, heap)

    def close(self) -> None:
        """Give the memory back."""
        self.store.close()

    def _function(self, name: str) -> wasmtime.Func:
        function = self._functions[name]
        assert isinstance(function, wasmtime.Func)
        return function

    def _poke(self, form: str, offset: int, *values: int) -> None:
        target = (ctypes.c_char * struct.calcsize(form)).from_address(self._base + self._code.state + offset)
        struct.pack_into(form, target, 0, *values)

    def _peek(self, form: str, offset: int) -> tuple[int, ...]:
        at = self._base + self._code.state + offset
        return struct.unpack(form, ctypes.string_at(at, struct.calcsize(form)))
