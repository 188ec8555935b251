"""No secret gets into anything that is stored or shown, in whatever form a library or a server writes it."""

import base64
import html
import json
import logging
import re
from collections.abc import Callable
from urllib.parse import quote

import pytest
import structlog
from pydantic import SecretStr

from agent_contracts.entities.database_events import DatabaseWritten
from agent_contracts.errors import ErrorKind, Rejected, ToolError
from agent_contracts.event import Event
from agent_contracts.ids import CallId
from agent_contracts.log.record.codec import EVENT_TYPES
from agent_contracts.session_events import decisions as ev
from agent_contracts.session_events import inputs
from agent_contracts.session_events.results import (
    ModelCallFailed,
    ModelFailure,
    ToolCallCompleted,
    ToolCallFailed,
)
from agent_platform.observing.health import HealthChecks
from agent_platform.observing.logs import configure_logging
from agent_platform.secrecy.failure_text import bug_text, failure_of, failure_text
from agent_platform.secrecy.known_secrets import KNOWN, MASK
from agent_platform.secrecy.safe_events import _FAILURES, safe_event
from agent_platform.services.consuming.dead_letter import DeadLetterRecord, letter_message
from agent_platform.settings.shared import PostgresSettings

CANARY = "sk-Canary/4711+\"ö'\\x~end"
"""With all that one or the other form writes otherwise."""
CALL = CallId("c_1")


def _forms() -> dict[str, str]:
    return {
        "plain": CANARY,
        "json": json.dumps({"key": CANARY}),
        "json in json": json.dumps(json.dumps({"key": CANARY}, ensure_ascii=False)),
        "repr": repr({"Authorization": f"Bearer {CANARY}"}),
        "repr of bytes": repr([(b"x-api-key", CANARY.encode())]),
        "ascii": ascii(CANARY),
        "percent": f"https://x.test/?a={quote(CANARY, safe='')}",
        "html": html.escape(CANARY),
        "base64": base64.b64encode(CANARY.encode()).decode(),
        "basic": base64.b64encode(f"somebody:{CANARY}".encode()).decode(),
        "hex": CANARY.encode().hex(),
    }


TOLD: dict[str, Callable[[str], Event]] = {
    "model call failed": lambda text: ModelCallFailed(CALL, ModelFailure.INTERNAL, text, "m"),
    "tool call failed": lambda text: ToolCallFailed(CALL, ToolError(ErrorKind.INTERNAL, text), "r"),
    "details": lambda text: ToolCallFailed(
        CALL, ToolError(ErrorKind.INTERNAL, "", details={text: text}), "r"
    ),
    "turn failed": lambda text: ev.TurnFailed("internal", text),
    "failed": lambda text: ev.Failed("internal", text),
    "cancelled": lambda text: ev.ToolCallCancelled(CALL, message=text),
    "quarantined": lambda text: ev.ToolQuarantined("t", 1, 2, "m", text, text),
    "message": lambda text: inputs.UserMessage(text),
    "result": lambda text: ToolCallCompleted(CALL, {"page": [text, {text: 1}]}, "r"),
    "arguments": lambda text: ev.ToolCallRequested(CALL, "t", {"a": [text]}, "tools", "pure"),  # type: ignore[arg-type]
}


@pytest.fixture
def _known() -> None:
    PostgresSettings(postgres_dsn=SecretStr(CANARY))


@pytest.mark.usefixtures("_known")
@pytest.mark.parametrize("form", _forms())
@pytest.mark.parametrize("kind", TOLD)
def test_no_event_is_written_with_a_secret(kind: str, form: str) -> None:
    text = _forms()[form]
    event, body = safe_event(TOLD[kind](f"before {text} after"))
    _holds_none(body.decode(), text)
    assert MASK in body.decode()
    assert type(event) is type(TOLD[kind](""))


@pytest.mark.usefixtures("_known")
def test_an_event_without_one_is_written_as_it_is() -> None:
    event = TOLD["result"]("Use the header Authorization: Bearer YOUR_KEY, see https://a:b@c.test/?token=x")
    assert safe_event(event)[0] is event


@pytest.mark.usefixtures("_known")
@pytest.mark.parametrize("form", _forms())
def test_no_log_line_dead_letter_or_health_says_one(form: str, capsys: pytest.CaptureFixture[str]) -> None:
    text = _forms()[form]
    with _logging():
        structlog.get_logger().warning(
            "failed", why=text, **{"headers": [{"x": text}], "error": OSError(text)}
        )
        logging.getLogger("library").error("connection to %s failed", text)
        try:
            raise ValueError(text)
        except ValueError:
            structlog.get_logger().exception("bug")
    _holds_none(capsys.readouterr().err, text)
    letter = DeadLetterRecord("LOG", "engine", 1, "s", text, 5)
    _holds_none(letter_message(letter).data.decode(), text)


async def test_health_names_no_secret() -> None:
    KNOWN.learn(CANARY)

    async def check() -> None:
        raise OSError(f"no connection as {CANARY}")

    checks = HealthChecks()
    checks.add_readiness("database", check)
    _holds_none((await checks.ready()).to_json().decode(), CANARY)


@pytest.mark.parametrize(
    "text",
    [
        "401: Authorization: Bearer CANARY0815",
        "{'authorization': 'Basic CANARY0815'}",
        '{"X-Api-Key": "CANARY0815", "accept": "*/*"}',
        "[(b'cookie', b'session=CANARY0815; theme=dark')]",
        "Set-Cookie: sid=CANARY0815; Path=/",
        "connecting to postgres://user:CANARY0815@db.test/x failed",
        "GET https://api.test/v1?key=CANARY0815&alt=sse 403",
        "POST https://api.telegram.org/bot123456:CANARY0815CANARY0815CANARY/sendMessage",
        "Incorrect key sk-proj-CANARY0815",
        "UnicodeEncodeError('ascii', 'Bearer CANARY0815', 14, 15, 'ordinal not in range(128)')",
    ],
)
def test_a_failure_says_no_secret_that_nobody_knew(text: str) -> None:
    assert "CANARY0815" not in failure_text(text)
    assert MASK in failure_text(text)


@pytest.mark.parametrize(
    "text",
    [
        "The provider refused the key: set FOLDLINE_MODEL_API_KEY and try again.",
        "the answer has no authorization header",
        "GET https://api.test/v1?page=2 404",
        "Basic authentication is needed",
        "the risk-averse desk-top task",
    ],
)
def test_a_failure_without_one_stays(text: str) -> None:
    assert failure_text(text) == text


def test_an_exception_is_never_told_by_its_repr() -> None:
    with pytest.raises(UnicodeEncodeError) as raised:
        "Bearer CANARY0815\u200b".encode("ascii")
    assert "U+200B" in failure_of(raised.value)
    assert "CANARY" not in failure_of(raised.value)
    assert "CANARY" not in bug_text(RuntimeError("CANARY0815"))


def test_what_was_cut_short_in_a_failure_is_taken_out_too() -> None:
    KNOWN.learn("sekret-0123456789-abcdefghij")
    assert "0123456789" not in failure_text("can't be 'sekret-0123456789-ab…'")


@pytest.mark.parametrize("dummy", ["not-needed", "ollama", "lm-studio", "none", ""])
def test_a_key_that_opens_nothing_stays_in_texts(dummy: str) -> None:
    KNOWN.learn(dummy)
    assert KNOWN.text(f"a server that wants {dummy}") == f"a server that wants {dummy}"


def test_the_parts_of_a_secret_are_secret() -> None:
    KNOWN.learn("foldline:Pa55word-9", '{"refresh_token": "r-0123456789abcdef", "scope": "read write all 1"}')
    KNOWN.learn("postgres://me:s%23cret99@db.test/x")
    for part in ("Pa55word-9", "r-0123456789abcdef", "s%23cret99", "s#cret99"):
        assert part not in KNOWN.text(f"as {part}")
    assert KNOWN.text("foldline may read write all 1") == "foldline may read write all 1"


def test_a_write_to_a_database_with_a_secret_is_refused() -> None:
    KNOWN.learn("sekret-0123456789")
    written = DatabaseWritten("insert into t values (?)", ["sekret-0123456789"], 0, "", 1, 1)
    with pytest.raises(Rejected, match="Nothing was written"):
        safe_event(written)


def test_every_failure_of_an_event_is_looked_through() -> None:
    """A new event that says what went wrong has to be named where failures are."""
    words = {"error", "reason", "message"}
    ours = {
        "UserMessage",
        "ReminderDue",
        "Woken",
        "ReportAsked",
        "BecameIdle",
        "Completed",
        "MessagesShadowed",
    }
    ours |= {"OutcomeSettled"}
    telling = {
        cls.__name__
        for cls in EVENT_TYPES.values()
        if words.intersection(cls.__struct_fields__) and cls.__name__ not in ours
    }
    assert telling <= {cls.__name__ for cls in _FAILURES} | ours


class _logging:
    def __enter__(self) -> None:
        self._before, self._root = structlog.get_config(), logging.getLogger()
        self._handlers, self._level = list(self._root.handlers), self._root.level
        configure_logging("info", "json", "x")

    def __exit__(self, *_: object) -> None:
        structlog.configure(**self._before)
        self._root.handlers[:] = self._handlers
        self._root.setLevel(self._level)


def _holds_none(told: str, text: str) -> None:
    told = re.sub(r"\d{4}-\d\d-\d\dT[\d:.]+Z", "", told)  # its digits come by chance
    for piece in ("Canary", "4711", CANARY[3:8].encode().hex(), "FuYXJ5", text):
        assert piece not in told


def test_a_long_text_is_looked_through_in_one_pass() -> None:
    """Each of these took minutes with a pattern that begins anew at every letter."""
    for piece in ("a", "a.b-c+d", "Bearer ", "x-api-key: '", "eyJ", "://"):
        assert len(failure_text(piece * (200_000 // len(piece)))) > 0
