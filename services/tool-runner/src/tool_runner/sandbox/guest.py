"""The guest as it is committed: a WebAssembly module without imports, and the TypeScript stripper."""

import hashlib
from functools import cache
from pathlib import Path

import msgspec

from agent_contracts.errors import Permanent

FOLDER = Path(__file__).parent / "artefact"

# Offsets into what `box_state()` points at; sandbox-guest/box.c has the struct.
OUT, INTERRUPT, CLOCKS, SEED, IMPURE, HEAP_USED, INPUT, GRANTED, WANTED, BOX_SIZE = (
    *(0, 8, 16, 32, 48, 52, 56, 64, 68),
    72,
)
CLOCK_TICK_US = 20
"""How far each reading of the clock moves it on, in microseconds."""


class GuestRecord(msgspec.Struct, frozen=True):
    """What was built, of what, and with what: artefact/guest.json. `sha256` is by file."""

    sha256: dict[str, str]
    sources: dict[str, str]
    toolchain: dict[str, str]


def record() -> GuestRecord:
    """What guest.json says."""
    return msgspec.json.decode((FOLDER / "guest.json").read_bytes(), type=GuestRecord)


def read(name: str) -> bytes:
    """A file of the guest. Raises `Permanent` where its bytes are not those that were recorded."""
    data = (FOLDER / name).read_bytes()
    if hashlib.sha256(data).hexdigest() != record().sha256[name]:
        raise Permanent(f"{name} is not what was built: its hash differs from guest.json", kind="internal")
    return data


@cache
def guest_hash() -> str:
    """The SHA-256 of the module."""
    return record().sha256["guest.wasm"]
