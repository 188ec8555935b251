"""One fresh sandbox: a store, an instance of the guest, and the memory they share with us.

Made for each run, so it speaks to wasmtime's C API where the Python wrapper takes ten times as long.
"""

import ctypes
import struct
from typing import Any

import wasmtime
from wasmtime import _ffi as ffi

from tool_runner.sandbox import guest
from tool_runner.sandbox.engine import Guest
from tool_runner.sandbox.fiber import Fiber
from tool_runner.sandbox.images import MemoryImage
from tool_runner.sandbox.limits import LARGEST_MEMORY

_WASM_PAGE = 65536
_ALL = (1 << 32) - 1
_FLAG, _PAIR, _TIMES = struct.Struct("<I"), struct.Struct("<II"), struct.Struct("<QQ")
_SETTINGS = struct.Struct("<QII")
_NAMES = {
    name: ctypes.create_string_buffer(name.encode(), len(name))
    for name in ("memory", "box_alloc", "box_start", "box_step", "box_preload")
}
_SharedState = ctypes.c_char * guest.BOX_SIZE


class BadPointer(Exception):
    """The guest named memory that it does not have."""


class Instance:
    """Never used for a second run. Not thread safe; what the guest says of its memory is checked."""

    def __init__(self, code: Guest, memory: int, heap: int, seed: int) -> None:
        self._code = code
        self.store = wasmtime.Store(code.engine)
        self.store.set_limits(memory_size=min(memory, LARGEST_MEMORY), instances=1, memories=1, tables=1)
        self.store.set_epoch_deadline(1 << 40)
        self._made = code.template.instantiate(self.store)._instance
        self._memory = self._export("memory").memory
        # It does not move while the instance lives: wasmtime reserves all that 32 bits can address.
        data = ffi.wasmtime_memory_data(self.store._context(), ctypes.byref(self._memory))
        self._base: int = ctypes.addressof(data.contents)
        self._shared = _SharedState.from_address(self._base + code.state)
        self._image: MemoryImage | None = None
        self._limit = min(memory, LARGEST_MEMORY)
        self._granted = _ALL
        self.configure(seed, heap)
        # From here on every epoch ends a slice. What this returns is garbage.
        self.store.set_epoch_deadline(1)
        ffi.wasmtime_context_epoch_deadline_async_yield_and_update(self.store._context(), 1)

    def begin(self, entry: str, payload: bytes, now_us: int) -> Fiber | None:
        """Call `box_start`, `box_step` or `box_preload`; None where the payload finds no room in it."""
        _FLAG.pack_into(self._shared, guest.INTERRUPT, 0)
        _TIMES.pack_into(self._shared, guest.CLOCKS, now_us, now_us)
        size = len(payload)
        if size < self._code.input_size:
            # With the NUL that Python keeps after all bytes, and that QuickJS needs after JSON.
            ctypes.memmove(self._base + self._code.input, payload, size + 1)
            return Fiber(self.store, self._export(entry).func, self._code.input, size)
        granted = self._granted
        self.grant(_ALL)  # what the host itself puts there does not wait
        allocating = Fiber(self.store, self._export("box_alloc").func, size)
        while not allocating.poll():
            pass
        self.grant(granted)
        address = allocating.result() & 0xFFFFFFFF
        if not address:
            return None
        if address + size > self.size:
            raise BadPointer("the guest's allocator gave memory that is not there")
        ctypes.memmove(self._base + address, payload, size)
        return Fiber(self.store, self._export(entry).func, address, size)

    def interrupt(self) -> None:
        """Let the JavaScript that runs end with an exception that it can't catch."""
        _FLAG.pack_into(self._shared, guest.INTERRUPT, 1)

    def grant(self, memory: int) -> None:
        """Let it have so many bytes of memory; from its limit on, it is that which it meets."""
        self._granted = memory if memory < self._limit else _ALL
        _FLAG.pack_into(self._shared, guest.GRANTED, self._granted)

    @property
    def wants_more(self) -> bool:
        """Whether it has more memory than was granted, or waits for it."""
        (wanted,) = _FLAG.unpack_from(self._shared, guest.WANTED)
        return max(int(wanted), self.size) > self._granted

    def frames(self) -> list[bytes]:
        """What the last step left. Raises BadPointer."""
        address, length = _PAIR.unpack_from(self._shared, guest.OUT)
        if not length:
            return []
        if address + length > self.size:
            raise BadPointer("the guest's frames are not in its memory")
        return ctypes.string_at(self._base + address, length).splitlines()

    @property
    def size(self) -> int:
        """Bytes of memory now."""
        return int(ffi.wasmtime_memory_data_size(self.store._context(), ctypes.byref(self._memory)))

    @property
    def heap_used(self) -> int:
        """Bytes of JavaScript heap at the end of the last step."""
        return int(_FLAG.unpack_from(self._shared, guest.HEAP_USED)[0])

    @property
    def impure(self) -> bool:
        """Whether the last step read the clock or randomness."""
        return bool(_FLAG.unpack_from(self._shared, guest.IMPURE)[0])

    def memory(self) -> bytes:
        """All of its memory."""
        return ctypes.string_at(self._base, self.size)

    def restore(self, image: MemoryImage) -> bool:
        """Put another instance's memory in the place of its own; False where the limit leaves no room.

        The seed and the heap are that instance's: `configure` comes next.
        """
        if (missing := image.size - self.size) > 0:
            before = ctypes.c_uint64()
            error: Any = ffi.wasmtime_memory_grow(
                self.store._context(),
                ctypes.byref(self._memory),
                missing // _WASM_PAGE,
                ctypes.byref(before),
            )
            if error:
                ffi.wasmtime_error_delete(error)
                return False
        image.lay(self._base)
        self._image = image
        return True

    def configure(self, seed: int, heap: int) -> None:
        """Set the seed of its randomness, and how many bytes of JavaScript heap it may have."""
        self.grant(self._granted)
        _SETTINGS.pack_into(self._shared, guest.SEED, seed & (1 << 64) - 1, guest.CLOCK_TICK_US, heap)

    def close(self) -> None:
        """Give the memory back."""
        self.store.close()
        self._image = None

    def _export(self, name: str) -> Any:
        """What the guest exports under a name, in the C API's union of all that can be exported."""
        item = ffi.wasmtime_extern_t()
        known = _NAMES[name]
        if not ffi.wasmtime_instance_export_get(
            self.store._context(), ctypes.byref(self._made), known, len(known), ctypes.byref(item)
        ):
            raise ValueError(f"the guest exports no {name}")
        return item.of
