"""structlog, set up once per process: one line per event on stderr, for people or as JSON."""

import contextlib
import json
import logging
import re
import sys
from collections.abc import Sequence
from typing import Any, Literal

import structlog
from structlog.tracebacks import ExceptionDictTransformer
from structlog.typing import EventDict, Processor, WrappedLogger

from agent_contracts.json_lines import one_line_text
from agent_platform.observing.binding import with_bound_ids
from agent_platform.observing.log_file import LogFile, RotatingLog
from agent_platform.observing.telemetry import current_trace_id
from agent_platform.secrecy.failure_text import failure_of, failure_text
from agent_platform.secrecy.known_secrets import MASK

_SECRET_KEY = re.compile(r"(^|_)(token|password|passwords|secret|api_key|authorization|cookie|dsn)$", re.I)
_FINISHED = "finished"
_OURS_TO_WRITE = frozenset({"level", "timestamp", "service"})
"""Fields that nobody else's text gets into."""
_TELL_ALL = ("httpcore", "hpack")
"""Libraries that log the headers of every answer when debugging, before anything is taken out of them."""


def configure_logging(
    level: Literal["debug", "info", "warning", "error"],
    form: Literal["console", "json"],
    service: str,
    file: LogFile | None = None,
) -> None:
    """Log events of `level` and above to stderr, each with the time (UTC), `service`, what is bound to the
    context, and the trace it belongs to, if any. Libraries that use the standard `logging` come out the same
    way. `file` gets those of `info` and above too, or of `debug` if that is the level, as JSON.

    No secret is logged: values under names such as `token` or `password` are masked, and in all texts those
    that this process knows and those that stand where secrets do (`failure_text`).
    """
    number = logging.getLevelNamesMapping()[level.upper()]
    kept = min(number, logging.INFO)
    shared: list[Processor] = [
        with_bound_ids,
        structlog.processors.add_log_level,
        structlog.processors.TimeStamper(fmt="iso", utc=True),
        _Named(service),
        _with_trace,
        structlog.processors.StackInfoRenderer(),
    ]
    as_json: list[Processor] = [
        structlog.processors.ExceptionRenderer(ExceptionDictTransformer(show_locals=False)),
        _masked,
        structlog.processors.JSONRenderer(_in_one_line, default=str, ensure_ascii=False),
    ]
    shown: list[Processor]
    if form == "json":
        shown = as_json
    else:
        shown = [
            structlog.processors.format_exc_info,  # plain: the pretty ones show locals, which hold secrets
            _masked,
            structlog.dev.ConsoleRenderer(
                colors=sys.stderr.isatty(), exception_formatter=structlog.dev.plain_traceback
            ),
        ]
    rotating = None if file is None else RotatingLog(file)
    to_file = [] if rotating is None else [_ToFile(rotating, as_json, number)]
    structlog.configure(
        processors=[*shared, *to_file, *shown],
        wrapper_class=structlog.make_filtering_bound_logger(number if rotating is None else kept),
        logger_factory=_Stderr,
        cache_logger_on_first_use=True,
    )
    handlers: list[logging.Handler] = [_of_libraries(_StderrHandler(), shared, shown)]
    handlers[0].setLevel(number)
    if rotating is not None:
        handlers.append(_of_libraries(rotating, shared, as_json))
    # Libraries chatter below warning: only who debugs wants to hear it.
    least = number if number < logging.INFO else max(number, logging.WARNING)
    if rotating is not None:
        least = min(least, logging.WARNING)
    logging.basicConfig(handlers=handlers, level=least, force=True)
    for name in _TELL_ALL:
        logging.getLogger(name).setLevel(logging.WARNING)


def _of_libraries(
    handler: logging.Handler, shared: Sequence[Processor], shown: Sequence[Processor]
) -> logging.Handler:
    handler.setFormatter(
        _LibraryFormatter(
            foreign_pre_chain=[*shared, structlog.stdlib.add_logger_name],
            processors=[structlog.stdlib.ProcessorFormatter.remove_processors_meta, *shown],
        )
    )
    return handler


class _LibraryFormatter(structlog.stdlib.ProcessorFormatter):
    """Our own lines are finished already."""

    def format(self, record: logging.LogRecord) -> str:
        return str(record.msg) if getattr(record, _FINISHED, False) else super().format(record)


class _ToFile:
    """Writes each event into the file; what is below the level for people ends there."""

    def __init__(self, file: RotatingLog, as_json: Sequence[Processor], least: int) -> None:
        self._file = file
        self._as_json = as_json
        self._least = least

    def __call__(self, logger: WrappedLogger, method: str, event: EventDict) -> EventDict:
        line: Any = dict(event)
        for processor in self._as_json:
            line = processor(logger, method, line)
        self._file.handle(logging.makeLogRecord({"msg": line, _FINISHED: True}))
        if logging.getLevelNamesMapping()[event["level"].upper()] < self._least:
            raise structlog.DropEvent
        return event


class _Stderr:
    """Writes lines to what sys.stderr is at that moment: tests, and programs that daemonise, replace it."""

    def __init__(self, *names: object) -> None:
        """structlog passes the names given to `get_logger`; there is one stream for all."""

    def msg(self, line: str) -> None:
        """Write one line. One that can't be written is lost: standard error may be a file on a full disk, and
        whoever restarts what failed there must not fail for saying so."""
        with contextlib.suppress(OSError):
            sys.stderr.write(line + "\n")
            sys.stderr.flush()

    log = debug = info = warning = error = critical = exception = msg


class _StderrHandler(logging.Handler):
    def emit(self, record: logging.LogRecord) -> None:
        _Stderr().msg(self.format(record))


def _in_one_line(event: Any, **how: Any) -> str:
    return one_line_text(json.dumps(event, **how))


class _Named:
    def __init__(self, service: str) -> None:
        self._service = service

    def __call__(self, logger: WrappedLogger, method: str, event: EventDict) -> EventDict:
        event.setdefault("service", self._service)  # in one process, each service binds its own
        return event


def _with_trace(logger: WrappedLogger, method: str, event: EventDict) -> EventDict:
    trace_id = current_trace_id()
    if trace_id is not None:
        event.setdefault("trace_id", trace_id)
    return event


def _masked(logger: WrappedLogger, method: str, event: EventDict) -> EventDict:
    return {
        name: value if name in _OURS_TO_WRITE else _masked_value(name, value) for name, value in event.items()
    }


def _masked_value(name: str, value: object) -> object:
    if _SECRET_KEY.search(name):
        return MASK
    match value:
        case str():
            return failure_text(value)
        case dict():
            return {failure_text(str(key)): _masked_value(str(key), inner) for key, inner in value.items()}
        case list() | tuple() | set() | frozenset():
            return [_masked_value("", inner) for inner in value]
        case None | bool() | int() | float():
            return value
        case BaseException():
            return failure_of(value)
        case _:  # the renderer would write it as text, past this
            return failure_text(str(value))
