"""Files as a disk holds them: what was written, and of that what is sure to be there after a power cut."""

from pathlib import Path

from foldline_testing.product.power_cut.calls import OF_NAMES, FileCall


class _File:
    """`durable` is on the disk; `pending` was written after it, and may be there whole, in part or not."""

    def __init__(self, durable: bytes = b"") -> None:
        self.durable = bytearray(durable)
        self.pending: list[tuple[int, bytes]] = []

    @property
    def size(self) -> int:
        return max([len(self.durable), *(at + len(data) for at, data in self.pending)])

    def truncate(self, size: int) -> None:
        self.pending = [(at, data[: size - at]) for at, data in self.pending if at < size]
        del self.durable[size:]

    def flush(self) -> None:
        for at, data in self.pending:
            _put(self.durable, at, data)
        self.pending = []

    def torn(self) -> bytes:
        """With the first half of each pending write."""
        content = bytearray(self.durable)
        for at, data in self.pending:
            _put(content, at, data[: len(data) // 2])
        return bytes(content)


class SimulatedDisk:
    """A folder's files, carried on call by call.

    Names are kept at once and in order, as journaling file systems do; data when it is flushed (`fsync`,
    `fdatasync`, `O_SYNC`). Raises `ValueError` for a call that it doesn't know how to carry out.
    """

    def __init__(self, folder: Path) -> None:
        """Begins with what is in `folder` now, all of it on the disk."""
        self._root = str(folder)
        self._files = {
            str(file): _File(file.read_bytes()) for file in sorted(folder.rglob("*")) if file.is_file()
        }
        self._folders = {str(one) for one in folder.rglob("*") if one.is_dir()}
        self._offsets: dict[int, int] = {}
        self._synchronous: dict[int, bool] = {}

    def carry_out(self, call: FileCall) -> None:
        """Do to these files what a call did to the real ones."""
        if call.name in OF_NAMES:
            self._rearrange(call)
        elif call.name == "openat":
            self._open(call)
        elif call.file in self._files:
            self._change(call, self._files[call.file])

    def concerns(self, call: FileCall) -> bool:
        """Whether a call is about one of the folder's files."""
        about = call.names if call.name in OF_NAMES else [call.opened or call.file]
        return any(_is_in(one, self._root) for one in about)

    def flushes(self, call: FileCall) -> bool:
        """Whether a call, if it is carried out next, brings data onto the disk."""
        match call.name:
            case "fsync" | "fdatasync":
                return call.file in self._files and bool(self._files[call.file].pending)
            case "write" | "pwrite64":
                return call.file in self._files and self._synchronous.get(call.number(0), False)
            case _:
                return False

    def lay_out(self, folder: Path, *, torn: bool = False) -> None:
        """Write into `folder` what a power cut leaves now; `torn`: with halves of what was not flushed."""
        for one in sorted(self._folders):
            (folder / Path(one).relative_to(self._root)).mkdir(parents=True, exist_ok=True)
        for path, file in self._files.items():
            laid_out = folder / Path(path).relative_to(self._root)
            laid_out.parent.mkdir(parents=True, exist_ok=True)
            laid_out.write_bytes(file.torn() if torn else file.durable)

    @property
    def has_pending(self) -> bool:
        """Whether something was written that may be lost."""
        return any(file.pending for file in self._files.values())

    def _rearrange(self, call: FileCall) -> None:
        first = call.names[0]
        match call.name:
            case "rename" | "renameat" | "renameat2":
                self._rename(first, call.names[1])
            case "unlink" | "unlinkat" | "rmdir":
                self._files.pop(first, None)
                self._folders.discard(first)
            case "truncate" if first in self._files:
                self._files[first].truncate(call.number(1))
            case "mkdir" | "mkdirat" if _is_in(first, self._root):
                self._folders.add(first)

    def _open(self, call: FileCall) -> None:
        flags = call.arguments[2].split("|")
        file = self._files.get(call.opened)
        if file is None:
            if "O_CREAT" not in flags or not _is_in(call.opened, self._root):
                return  # a folder, or another's
            file = self._files[call.opened] = _File()
        if "O_TRUNC" in flags:
            file.truncate(0)
        self._offsets[call.result] = file.size if "O_APPEND" in flags else 0
        self._synchronous[call.result] = "O_SYNC" in flags or "O_DSYNC" in flags

    def _change(self, call: FileCall, file: _File) -> None:
        descriptor = call.number(0)
        match call.name:
            case "pwrite64":
                file.pending.append((call.number(3), call.data(1)[: call.result]))
            case "write" if descriptor in self._offsets:
                file.pending.append((self._offsets[descriptor], call.data(1)[: call.result]))
                self._offsets[descriptor] += call.result
            case "lseek":
                self._offsets[descriptor] = call.result
            case "ftruncate":
                file.truncate(call.number(1))
            case "fsync" | "fdatasync":
                file.flush()
            case _:
                raise ValueError(f"{call.name} to {call.file}: what it writes where is not known")
        if self._synchronous.get(descriptor, False):
            file.flush()

    def _rename(self, old: str, new: str) -> None:
        moved = {path: new + path[len(old) :] for path in [*self._files, *self._folders] if _is_in(path, old)}
        self._files = {moved.get(path, path): file for path, file in self._files.items() if path != new}
        self._folders = {moved.get(path, path) for path in self._folders}


def _is_in(path: str, folder: str) -> bool:
    return path == folder or path.startswith(folder + "/")


def _put(content: bytearray, at: int, data: bytes) -> None:
    if at > len(content):
        content.extend(bytes(at - len(content)))
    content[at : at + len(data)] = data
