"""Memory of instances, kept to be laid under later ones: pages of one anonymous file, shared until written.

Laying an image costs the same whatever its size: the system copies of it what a guest writes to, page by
page. Copying all that a library of 200 KB had changed, 4.5 MB, took milliseconds in each run.
"""

import ctypes
import os
import tempfile
import weakref

_PAGE = 4096
_READ_WRITE = 1 | 2
_SHARED, _PRIVATE, _FIXED = 1, 2, 16
_REMOVE = 9
_FILE_SIZE = 1 << 40
"""Bytes of address in the file; it takes what is written to it. No place in it is used twice."""
_FAILED = ctypes.c_void_p(-1).value
_NOTHING = bytes(_PAGE)

_libc = ctypes.CDLL(None, use_errno=True)
_libc.mmap.restype = ctypes.c_void_p
_libc.mmap.argtypes = [
    ctypes.c_void_p,
    ctypes.c_size_t,
    ctypes.c_int,
    ctypes.c_int,
    ctypes.c_int,
    ctypes.c_int64,
]
_libc.munmap.argtypes = [ctypes.c_void_p, ctypes.c_size_t]
_libc.madvise.argtypes = [ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int]


class MemoryImage:
    """A memory of `size` bytes, `kept` of them in pages that are not zero.

    It lasts as long as something refers to it.
    """

    def __init__(self, file: "_File", offset: int, size: int, kept: int) -> None:
        self._file = file
        self._offset = offset
        self.size = size
        self.kept = kept

    def lay(self, address: int) -> None:
        """Map it at an address, where as much memory must be; whoever writes there has copies of the pages.

        It must be kept as long as that memory is used. Raises OSError.
        """
        _mapped(address, self.size, _PRIVATE | _FIXED, self._file.number, self._offset)


class Images:
    """Where images are kept. Made before the process gives up opening files."""

    def __init__(self) -> None:
        self._file = _File()
        self._used = 0

    def add(self, memory: bytes) -> MemoryImage:
        """Keep a copy of a memory, a whole number of pages. Raises OSError where there is no room."""
        if self._used + len(memory) > _FILE_SIZE:
            raise OSError("all places for images were used")
        offset, kept = self._used, 0
        self._used += len(memory)
        window = _mapped(None, len(memory), _SHARED, self._file.number, offset)
        for start in range(0, len(memory), _PAGE):
            page = memory[start : start + _PAGE]
            if page != _NOTHING:
                ctypes.memmove(window + start, page, _PAGE)
                kept += _PAGE
        _libc.munmap(window, len(memory))
        image = MemoryImage(self._file, offset, len(memory), kept)
        weakref.finalize(image, _give_back, self._file, offset, len(memory)).atexit = False
        return image

    def close(self) -> None:
        """Close the file; images that are laid stay."""
        self._file.close()


class _File:
    """A file without a name. `number` is its descriptor."""

    def __init__(self) -> None:
        if hasattr(os, "memfd_create"):
            self.number = os.memfd_create("images", os.MFD_CLOEXEC)
        else:
            with tempfile.TemporaryFile() as file:
                self.number = os.dup(file.fileno())
        self.closed = False
        os.ftruncate(self.number, _FILE_SIZE)

    def close(self) -> None:
        self.closed = True
        os.close(self.number)


def _mapped(address: int | None, size: int, flags: int, file: int, offset: int) -> int:
    found: int = _libc.mmap(address, size, _READ_WRITE, flags, file, offset)
    if found == _FAILED:
        raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))
    return found


def _give_back(file: _File, offset: int, size: int) -> None:
    """Give an image's pages back to the system, which has them back already once the file is closed."""
    if file.closed:
        return
    window = _mapped(None, size, _SHARED, file.number, offset)
    _libc.madvise(window, size, _REMOVE)
    _libc.munmap(window, size)
