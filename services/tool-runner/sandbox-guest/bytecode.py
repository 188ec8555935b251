"""The prelude, compiled by the QuickJS that will run it, as the initialiser of a C array. Run by `build`."""

import sys
from pathlib import Path

import wasmtime

OUT_PTR = 0
"""Offset in box_state_t, as in sandbox/guest.py."""


def bytecode(compiler: bytes, source: bytes) -> bytes:
    """The bytecode of `source`, from box.c built as the compiler of the prelude."""
    store = wasmtime.Store()
    made = wasmtime.Instance(store, wasmtime.Module(store.engine, compiler), []).exports(store)
    memory, state = made["memory"], made["box_state"](store)
    at = made["box_alloc"](store, len(source))
    memory.write(store, source, at)
    size = made["box_bytecode"](store, at, len(source))
    found = int.from_bytes(memory.read(store, state + OUT_PTR, state + OUT_PTR + 4), "little")
    return bytes(memory.read(store, found, found + size))


if __name__ == "__main__":
    print(",".join(map(str, bytecode(Path(sys.argv[1]).read_bytes(), Path(sys.argv[2]).read_bytes()))))
