"""Landlock: which files this process and all that it starts may touch, and which TCP ports it may dial."""

import contextlib
import ctypes
import os
import struct
from collections.abc import Iterable

from agent_platform.process.cage.steps import CageUnavailable, called, on_linux

_CREATE, _ADD_RULE, _RESTRICT = 444, 445, 446
_WANT_VERSION = 1
_BENEATH, _PORT = 1, 2

_EXECUTE, _WRITE_FILE, _READ_FILE, _READ_DIR = 1 << 0, 1 << 1, 1 << 2, 1 << 3
_TRUNCATE = 1 << 14
_OF_FILES = _EXECUTE | _WRITE_FILE | _READ_FILE | _TRUNCATE | 1 << 15
"""The rights that a rule for a file, and not a folder, may name."""
_FIRST_FILES = (1 << 13) - 1
_SINCE = {2: 1 << 13, 3: _TRUNCATE, 5: 1 << 15}
"""Rights that later versions of the interface know: to move between folders, to truncate, to ask devices."""
_BIND_TCP, _CONNECT_TCP = 1, 2
_PORTS_SINCE, _SCOPES_SINCE = 4, 6
_SCOPES = 3
"""Abstract Unix sockets, and signals to processes outside."""


def version() -> int:
    """The kernel's version of the interface. Raises Unavailable where it has none."""
    on_linux()
    try:
        return called(_CREATE, None, ctypes.c_size_t(0), _WANT_VERSION)
    except OSError as error:
        raise CageUnavailable(f"this kernel has no Landlock, or it is off ({error.strerror})") from error


def keeps_signals_in() -> bool:
    """Whether what is restricted can send none to processes outside. Raises Unavailable as `version`."""
    return version() >= _SCOPES_SINCE


def restrict(
    readable: Iterable[str],
    writable: Iterable[str],
    ports: Iterable[int] | None,
    *,
    runs_what_it_writes: bool = False,
) -> int:
    """Leave only these files and folders, and of TCP only connections to `ports` (None: all stay); paths that
    don't exist are passed over. The version of the interface: ports are restricted from 4 on.

    Needs "no new privileges". Raises Unavailable, or OSError where refused.
    """
    abi = version()
    files = _FIRST_FILES | sum(right for since, right in _SINCE.items() if abi >= since)
    of_tcp = _BIND_TCP | _CONNECT_TCP if abi >= _PORTS_SINCE and ports is not None else 0
    scopes = _SCOPES if abi >= _SCOPES_SINCE else 0
    attributes = struct.pack("<QQQ", files, of_tcp, scopes)[: 8 if abi < 4 else 16 if abi < 6 else 24]
    rules = called(_CREATE, attributes, ctypes.c_size_t(len(attributes)), 0)
    try:
        for path in readable:
            _allow(rules, path, (_EXECUTE | _READ_FILE | _READ_DIR) & files)
        for path in writable:
            _allow(rules, path, files if runs_what_it_writes else files & ~_EXECUTE)
        for port in ports or () if of_tcp else ():
            called(_ADD_RULE, rules, _PORT, struct.pack("<QQ", _CONNECT_TCP, port), 0)
        called(_RESTRICT, rules, 0)
    finally:
        os.close(rules)
    return abi


def _allow(rules: int, path: str, rights: int) -> None:
    with contextlib.suppress(FileNotFoundError, NotADirectoryError):
        opened = os.open(path, os.O_PATH | os.O_CLOEXEC)
        try:
            if not os.path.isdir(path):
                rights &= _OF_FILES
            called(_ADD_RULE, rules, _BENEATH, struct.pack("<Qi", rights, opened), 0)
        finally:
            os.close(opened)
