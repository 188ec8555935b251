"""The command `foldline` as a program: what it prints, how it ends, what it says to a terminal."""

import codecs
import json
import os
import pty
import re
import select
import subprocess
import sys
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Self

from agent_platform.process.stopping import PARENT_PID
from foldline_testing.product.forked import LOOKS, Forked, Streams, run_forked

_PATIENCE_S = 100.0
_ESCAPE = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]")


@dataclass(frozen=True)
class Done:
    """How a command ended."""

    code: int
    out: str
    err: str

    @property
    def json(self) -> Any:
        """What it printed, as one JSON value."""
        return json.loads(self.out)


@dataclass(frozen=True)
class Command:
    """Runs `foldline` on a data directory, started from `folder`, with nothing of the shell's FOLDLINE_*.

    `up` ends with the process that starts it.
    """

    data_dir: Path
    folder: Path
    env: Mapping[str, str] = field(default_factory=dict)

    def __call__(self, *words: str, stdin: str = "", **env: str) -> Done:
        """Run it to its end, with `stdin` to read; `env` is set besides. It is forked from a process that has
        imported it, as is what `terminal` starts; what `start` starts is not."""
        ran = run_forked(words, self._environment(env), self.folder, stdin, _PATIENCE_S)
        return Done(ran.code, ran.out, ran.err)

    def start(self, *words: str, **env: str) -> subprocess.Popen[str]:
        """Start it, with pipes for what it prints."""
        return subprocess.Popen(
            [sys.executable, "-m", "foldline", *words],
            env=self._environment(env),
            cwd=self.folder,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )

    def terminal(self, *words: str, columns: int = 200) -> "Terminal":
        """Start it on a terminal of its own, so many columns wide."""
        return Terminal(words, self._environment({"COLUMNS": str(columns)}), self.folder)

    def _environment(self, env: Mapping[str, str]) -> dict[str, str]:
        clean = {name: value for name, value in os.environ.items() if not name.startswith("FOLDLINE_")}
        ours = {"FOLDLINE_DATA_DIR": str(self.data_dir), **LOOKS}
        ours[PARENT_PID] = str(os.getpid())
        return {**clean, **ours, **self.env, **env}


class Terminal:
    """`foldline` on a pseudo-terminal: type, and read what shows."""

    def __init__(self, words: Sequence[str], env: Mapping[str, str], folder: Path) -> None:
        self._master, slave = pty.openpty()
        self._slave: int | None = slave  # kept, since the process may open it later than we read
        terminal = Path(os.ttyname(slave))
        self._process = Forked(words, env, folder, Streams(terminal, terminal, terminal))
        self.shown = ""
        self._decoder = codecs.getincrementaldecoder("utf-8")("replace")  # a read may end within a character

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *raised: object) -> None:
        self._process.kill()
        self._process.wait()
        self._close_slave()
        os.close(self._master)

    def type(self, line: str) -> None:
        """Type a line and press Enter."""
        os.write(self._master, f"{line}\n".encode())

    def press(self, key: str) -> None:
        """Press Ctrl and a letter."""
        os.write(self._master, bytes([ord(key.upper()) - 64]))

    def wait_for(self, text: str, patience_s: float = _PATIENCE_S) -> str:
        """Read until `text` shows; what showed up to its end, which isn't looked at again."""
        deadline = time.monotonic() + patience_s
        while text not in self.shown:
            assert time.monotonic() < deadline, f"{text!r} does not show; what does:\n{self.shown}"
            assert self._read(), f"it ended before {text!r} showed:\n{self.shown}"
        before, _, self.shown = self.shown.partition(text)
        return before + text

    def ended(self) -> int:
        """Read to its end; its exit code."""
        while self._read():
            pass
        return self._process.wait(_PATIENCE_S)

    def _read(self) -> bool:
        waited = [self._master] if self._slave is None else [self._master, self._process.sentinel]
        ready, _, _ = select.select(waited, [], [], _PATIENCE_S)
        assert ready, f"nothing more shows:\n{self.shown}"
        if self._master not in ready:
            self._close_slave()  # only now the terminal ends, once what is in it was read
            return True
        try:
            data = os.read(self._master, 65_536)
        except OSError:  # Linux says so when the other side is closed
            return False
        self.shown += _ESCAPE.sub("", self._decoder.decode(data).replace("\r\n", "\n"))
        return bool(data)

    def _close_slave(self) -> None:
        if self._slave is not None:
            os.close(self._slave)
            self._slave = None
