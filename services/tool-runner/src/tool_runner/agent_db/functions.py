"""SQL functions in place of built-in ones whose result isn't a matter of statement and database alone.

SQLite draws `random()` from one generator of the whole process, reads the machine's clock and its time zone,
and compares texts for hours without looking up. Here they come from a `Moment`, know no local time, and
refuse what would take too long. All but `random` and `randomblob` ask the built-in function, on a connection
whose only clock is the moment's.
"""

import itertools
import random
from collections.abc import Callable
from typing import Any

import apsw

from agent_contracts.errors import Rejected
from tool_runner.agent_db.limits import SEARCH_WORK, VALUE_BYTES
from tool_runner.agent_db.moment import Moment

_JULIAN_1970_MS = 210_866_760_000_000
_LOCAL = ("localtime", "utc")
_OF_TIME = ("date", "time", "datetime", "julianday", "unixepoch", "strftime", "timediff")
_OF_NOW = ("current_date", "current_time", "current_timestamp")
_SEARCHING = ("instr", "replace", "trim", "ltrim", "rtrim")

_numbers = itertools.count(1)


class _MomentClock(apsw.VFS):
    """A file system of SQLite's whose clock stands still. Each has a name of its own, as they are global."""

    def __init__(self) -> None:
        self.vfs_name = f"foldline-moment-{next(_numbers)}"
        self.milliseconds = 0
        super().__init__(self.vfs_name, base="")

    def xCurrentTimeInt64(self) -> int:
        return self.milliseconds + _JULIAN_1970_MS


class MomentFunctions:
    """The functions of one connection; `at` says for which moment."""

    def __init__(self, connection: apsw.Connection) -> None:
        self._clock = _MomentClock()
        self._inner = apsw.Connection(":memory:", vfs=self._clock.vfs_name)
        self._random = random.Random()
        self._put(connection, "random", self._number, 0, constant=False)
        self._put(connection, "randomblob", self._blob, 1, constant=False)
        for name in _OF_NOW:
            self._put(connection, name, self._built_in(name, "now"), 0, constant=False)
        for name in _OF_TIME:
            self._put(connection, name, self._built_in(name, _without_zone), -1)
        for name in _SEARCHING:
            self._put(connection, name, self._built_in(name, _within_bounds), -1)

    def at(self, moment: Moment) -> None:
        """From here on, statements run at this moment."""
        self._clock.milliseconds = moment.clock
        self._random.seed(moment.seed.encode())

    def close(self) -> None:
        """Give back what SQLite holds. The connection must be closed already."""
        self._inner.close()
        self._clock.unregister()

    def _put(
        self,
        connection: apsw.Connection,
        name: str,
        function: Callable[..., Any],
        arguments: int,
        *,
        constant: bool = True,
    ) -> None:
        connection.create_scalar_function(
            name, function, arguments, deterministic=constant, flags=apsw.SQLITE_INNOCUOUS
        )

    def _number(self) -> int:
        return self._random.getrandbits(64) - 2**63

    def _blob(self, size: Any) -> bytes:
        wanted = self._inner.execute("SELECT max(1, CAST(ifnull(?, 1) AS INTEGER))", (size,)).get
        if wanted > VALUE_BYTES:
            raise Rejected(f"a value may have at most {VALUE_BYTES} bytes", kind="too_large")
        return self._random.randbytes(wanted)

    def _built_in(self, name: str, check: Any) -> Callable[..., Any]:
        if check == "now":
            return lambda: self._inner.execute(f"SELECT {name}").get

        def call(*values: Any) -> Any:
            check(name, values)
            marks = ",".join("?" * len(values))
            return self._inner.execute(f"SELECT {name}({marks})", values).get

        return call


def _without_zone(name: str, values: tuple[Any, ...]) -> None:
    """The machine's time zone is not in the log, and differs from runner to runner."""
    for value in values:
        if isinstance(value, bytes):
            value = value.decode(errors="replace")
        if isinstance(value, str) and value.lower() in _LOCAL:
            raise Rejected(
                f"{name}() does not support {value!r}: the database's times are UTC; "
                "use an offset such as '+02:00' to convert",
                kind="blocked",
            )


def _within_bounds(name: str, values: tuple[Any, ...]) -> None:
    sizes = [len(value) for value in values[:2] if isinstance(value, (str, bytes))]
    if len(sizes) == 2 and sizes[0] * sizes[1] > SEARCH_WORK:
        raise Rejected(f"{name}() of two values this large would take too long", kind="too_large")
