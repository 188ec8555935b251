"""wasmtime, configured for the guest. Imported in workers, and to compile; never in the runner itself.

An engine must be made after a fork, and after `faulthandler.enable()`, whose handlers would else replace
those by which wasmtime catches a guest's faults.
"""

import os
import struct
import sys
import threading
import time
from pathlib import Path

import wasmtime
from wasmtime import _ffi as ffi

from tool_runner.sandbox import guest

TICK_S = 0.002
"""Seconds between two epochs: the longest that a run keeps the others of its worker waiting."""
_WASM_STACK = 8 * 1024 * 1024


def engine() -> wasmtime.Engine:
    """A new engine. A change here must change `compiled.ENGINE_CONFIG`."""
    config = wasmtime.Config()
    config.epoch_interruption = True
    config.cranelift_opt_level = "speed"
    config.memory_init_cow = True
    # The stack of a fiber must hold that of the guest, and some: else wasmtime ends the process.
    ffi.wasmtime_config_async_stack_size_set(config.ptr(), _WASM_STACK + 1024 * 1024)
    config.max_wasm_stack = _WASM_STACK
    return wasmtime.Engine(config)


class Guest:
    """The compiled guest in this process, of which instances are made.

    `state` and `input` are addresses in each instance's memory: of what it shares with us, and of a buffer of
    `input_size` bytes for what it is given.
    """

    def __init__(self, compiled: Path) -> None:
        """`compiled` is trusted: what is in it is run."""
        self.engine = engine()
        self.unshared = ""
        """Why each worker has a copy of the machine code of its own, where that is so."""
        self.module = self._loaded(compiled)
        if self.module.imports:
            raise ValueError("the guest must not import anything")
        self.template = wasmtime.Linker(self.engine).instantiate_pre(self.module)
        store = wasmtime.Store(self.engine)
        store.set_epoch_deadline(1 << 40)
        exports = self.template.instantiate(store).exports(store)
        address, memory = exports["box_state"], exports["memory"]
        assert isinstance(address, wasmtime.Func)
        assert isinstance(memory, wasmtime.Memory)
        self.state: int = address(store)
        at = self.state + guest.INPUT
        self.input, self.input_size = struct.unpack("<II", memory.read(store, at, at + 8))
        store.close()

    def _loaded(self, compiled: Path) -> wasmtime.Module:
        """Mapped from the file, so that workers share it; read where its file system is mounted `noexec`, as
        Docker mounts a tmpfs."""
        try:
            return wasmtime.Module.deserialize_file(self.engine, str(compiled))
        except wasmtime.WasmtimeError as error:
            module = wasmtime.Module.deserialize(self.engine, compiled.read_bytes())
            self.unshared = str(error).splitlines()[0]
            return module


class Epochs:
    """Moves the engine's epoch on while something runs, so that what runs yields."""

    def __init__(self, target: wasmtime.Engine) -> None:
        self._engine = target
        self._running = threading.Event()
        self._stopped = False
        self._thread = threading.Thread(target=self._tick, name="epochs", daemon=True)
        self._thread.start()

    def on(self) -> None:
        """Something runs."""
        self._running.set()

    def off(self) -> None:
        """Nothing runs."""
        self._running.clear()

    def close(self) -> None:
        """End the thread."""
        self._stopped = True
        self._running.set()
        self._thread.join()

    def _tick(self) -> None:
        while not self._stopped:
            self._running.wait()
            time.sleep(TICK_S)
            self._engine.increment_epoch()


def main(path: Path) -> None:
    """Compile the guest into a file that appears at once or not at all."""
    data = wasmtime.Module(engine(), guest.read("guest.wasm")).serialize()
    draft = path.with_name(f"{path.name}.{os.getpid()}")
    try:
        with open(os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb") as file:
            file.write(data)
        os.replace(draft, path)
    finally:
        draft.unlink(missing_ok=True)  # on a full disk it would take what is left


if __name__ == "__main__":
    main(Path(sys.argv[1]))
