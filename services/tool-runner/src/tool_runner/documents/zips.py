"""Zip archives that somebody made: what is checked before anything in them is unpacked. Pure."""

import io
import zipfile

from agent_contracts.errors import ErrorKind, Rejected

MOST_ENTRIES = 2_000
MOST_UNPACKED = 200_000_000
"""Bytes of all entries together."""
MOST_RATIO = 100
"""Unpacked bytes for each packed one, of an archive that unpacks to more than a megabyte."""
_SMALL = 1_000_000


def checked_zip(data: bytes, noun: str) -> zipfile.ZipFile:
    """The archive; `noun` is what it should be. What its entries declare is what they unpack to at most.

    `Rejected` for one that is broken, encrypted or has names that lead out of it, of kind `too_large` for
    more entries or bytes than the limits.
    """
    try:
        archive = zipfile.ZipFile(io.BytesIO(data))
    except (zipfile.BadZipFile, ValueError, NotImplementedError, OSError) as error:
        raise Rejected(f"the {noun} is broken: {error}") from error
    entries = archive.infolist()
    if len(entries) > MOST_ENTRIES:
        raise _too_large(noun, f"{len(entries):,} entries; at most {MOST_ENTRIES:,} are read")
    unpacked = sum(entry.file_size for entry in entries)
    if unpacked > MOST_UNPACKED:
        limit = f"at most {MOST_UNPACKED // 1_000_000} MB are unpacked"
        raise _too_large(noun, f"{unpacked / 1_000_000:,.0f} MB when it is unpacked; {limit}")
    if unpacked > max(_SMALL, MOST_RATIO * len(data)):
        raise _too_large(noun, f"more than {MOST_RATIO} times its size when it is unpacked")
    for entry in entries:
        if _leads_out(entry.orig_filename):
            raise Rejected(
                f"the {noun} is not what it should be: an entry of it is {entry.orig_filename!r:.100}"
            )
        if entry.flag_bits & 1:
            raise Rejected(f"the {noun} is encrypted: it can only be read without a password")
    return archive


def _leads_out(name: str) -> bool:
    """Whether the name may mean something else than a part of the archive, on any system."""
    parts = name.replace("\\", "/").split("/")
    return name[:1] in ("/", "\\") or ".." in parts or "\0" in name or name[1:2] == ":"


def _too_large(noun: str, what: str) -> Rejected:
    return Rejected(f"the {noun} has {what}", kind=ErrorKind.TOO_LARGE)
