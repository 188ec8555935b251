"""One call into a guest, in slices: wasmtime's asynchronous calls, for which wasmtime-py has no wrapper.

The call runs on a stack of its own. Each slice lasts until the engine's next epoch; a call that is dropped
before its end is unwound and gone.
"""

import ctypes
from typing import Any

import wasmtime
from wasmtime import _ffi as ffi

_I32 = 0


class Fiber:
    """A call that returns one i32. The store may not be used otherwise until it is done or dropped."""

    def __init__(self, store: wasmtime.Store, function: ffi.wasmtime_func_t, *args: int) -> None:
        # The C side keeps pointers to all of these until the future is deleted.
        self._function = function
        self._args = (ffi.wasmtime_val_t * max(1, len(args)))()
        self._results = (ffi.wasmtime_val_t * 1)()
        for slot, value in zip(self._args, args, strict=False):
            slot.kind = _I32
            slot.of.i32 = value
        self._trap: Any = ctypes.POINTER(ffi.wasm_trap_t)()
        self._error: Any = ctypes.POINTER(ffi.wasmtime_error_t)()
        self._future: Any = ffi.wasmtime_func_call_async(
            store._context(),
            ctypes.byref(function),
            self._args,
            len(args),
            self._results,
            1,
            ctypes.byref(self._trap),
            ctypes.byref(self._error),
        )

    def poll(self) -> bool:
        """Run a slice; whether the call is done. Other threads run meanwhile."""
        return bool(ffi.wasmtime_call_future_poll(self._future))

    def drop(self) -> None:
        """Give the call up, or free what a finished one holds. May be repeated."""
        if self._future is not None:
            ffi.wasmtime_call_future_delete(self._future)
            self._future = None

    def result(self) -> int:
        """What a finished call returned. Raises wasmtime.Trap or wasmtime.WasmtimeError."""
        self.drop()
        if self._error:
            raise wasmtime.WasmtimeError._from_ptr(self._error)
        if self._trap:
            raise wasmtime.Trap._from_ptr(self._trap)
        return int(self._results[0].of.i32)
