"""Dead letters: messages that could not be handled. Look at them, try again, or forget them."""

from typing import Any

import msgspec

from agent_contracts.api.operating import DeadLetter, DeadLetterResult, DeadLetters, DeadMessage
from agent_contracts.errors import Failure, Permanent, Rejected
from agent_contracts.log.record.records import StoredMessage, decode
from agent_contracts.log.record.session_subjects import parse_session_subject
from agent_contracts.log.subjects import (
    ENGINE_CONSUMER,
    LOG_STREAM,
    MODEL_CALLER_CONSUMER,
    TIMER_CONSUMER,
    WAKE_STREAM,
    consumer_of,
)
from agent_contracts.questions.queries import (
    DELIVER_WAKE_AGAIN,
    HANDLE_AGAIN,
    DeliverWakeAgain,
    HandleAgainCommand,
)
from agent_contracts.tool_spec import RunsOn
from agent_contracts.wakes import WakeOutcome, read_wake
from agent_platform.log.port import Log
from agent_platform.log.result_offers import result_of
from agent_platform.services.consuming.dead_letter import DeadLetterRecord, StoredLetter
from gateway.live.event_view import session_of
from gateway.operations.event_at import call_at, event_at
from gateway.operations.operating.ports import DeadLetterSource
from gateway.operations.ports import Questions

_BY_THE_ENGINE = (ENGINE_CONSUMER, TIMER_CONSUMER)
_CALLS = (*(consumer_of(place) for place in RunsOn if place is not RunsOn.ENGINE), MODEL_CALLER_CONSUMER)
_SHOWN_BYTES = 64 * 1024


class DeadLetterBox:
    """The letters, and what can be done about each."""

    def __init__(self, letters: DeadLetterSource, log: Log, wakes: Log, questions: Questions) -> None:
        self._letters = letters
        self._log = log
        self._wakes = wakes
        self._questions = questions

    async def list(self, limit: int = 100, before: int | None = None) -> DeadLetters:
        """The newest letters, or those before letter `before`."""
        found = await self._letters.page(before, limit)
        letters = [await self._view(one) for one in found.letters]
        return DeadLetters(
            items=letters, total=found.total, next_cursor=None if found.before is None else str(found.before)
        )

    async def given_up(self, session_id: str) -> tuple[int, ...]:
        """The messages of a session of which there are letters."""
        found = [one.letter for one in await self._letters.all()]
        return tuple(
            one.sequence
            for one in found
            if one.stream == LOG_STREAM and session_of(one.subject) == session_id
        )

    async def show(self, number: int) -> DeadMessage:
        """One letter and its message. `Rejected(kind="not_found")` if there is no such letter."""
        stored = await self._find(number)
        letter = stored.letter
        if letter.stream == WAKE_STREAM:
            kind, body, problem = _read_wake(await self._wakes.get(letter.sequence))
        else:
            message = await event_at(self._log, letter.address) if letter.stream == LOG_STREAM else None
            kind, body, problem = _read(message)
        ended = await self._ending(letter)
        return DeadMessage(
            letter=await self._view(stored), type=kind, body=body, problem=problem, ended=ended
        )

    async def retry(self, number: int) -> DeadLetterResult:
        """Have the engine handle the message again, or a scheduler the wake; the letter stays if that fails.

        `Rejected(kind="conflict")` for what nobody may do twice: a call to a tool or a model has ended, or is
        ended by `unstick`.
        """
        letter = (await self._find(number)).letter
        if letter.consumer in _CALLS and letter.stream == LOG_STREAM:
            ended = await self._ending(letter)
            session = session_of(letter.subject)
            raise Rejected(
                f"Its call has ended ({ended}), and calls are not run twice: ask the agent again, or discard "
                "the letter"
                if ended
                else "Calls are not run twice, but this one has not ended: `foldline sessions unstick "
                f"{session}` ends it",
                kind="conflict",
            )
        if letter.stream == WAKE_STREAM:
            answer = await self._questions.ask(DELIVER_WAKE_AGAIN, DeliverWakeAgain(letter.sequence))
            outcome = msgspec.convert(answer, WakeOutcome)
            await self._letters.discard(number)
            return DeadLetterResult(number=number, done=f"the wake was {outcome.became}: {_where(outcome)}")
        if letter.consumer not in _BY_THE_ENGINE:
            raise Rejected(
                f"Nobody can be asked to handle a message of {letter.consumer or 'that letter'} again: look "
                "at it, and discard the letter",
                kind="conflict",
            )
        await self._questions.ask(HANDLE_AGAIN, HandleAgainCommand(letter.stream, letter.sequence))
        await self._letters.discard(number)
        return DeadLetterResult(number=number, done="the message was handled")

    async def discard(self, number: int) -> DeadLetterResult:
        """Forget the letter. The message itself stays where it is."""
        await self._find(number)
        await self._letters.discard(number)
        return DeadLetterResult(number=number, done="the letter is forgotten; its message stays in the log")

    async def _find(self, number: int) -> StoredLetter:
        found = await self._letters.find(number)
        if found is None:
            raise Rejected(f"There is no dead letter {number}", kind="not_found")
        return found

    async def _ending(self, letter: DeadLetterRecord) -> str | None:
        """The type of the event that ended the call that a message asks for."""
        if letter.consumer not in _CALLS:
            return None
        call_id = await call_at(self._log, letter.address)
        if call_id is None:
            return None
        session = parse_session_subject(letter.subject).key
        result = await result_of(self._log, session, call_id, after=letter.sequence)
        return None if result is None else result.envelope.type

    async def _view(self, stored: StoredLetter) -> DeadLetter:
        letter = stored.letter
        of_log = letter.stream == LOG_STREAM
        return DeadLetter(
            number=stored.number,
            created_at=stored.at,
            **{name: value for name, value in msgspec.structs.asdict(letter).items() if name != "part"},
            address=str(letter.address),
            session_id=session_of(letter.subject),
            call_id=await call_at(self._log, letter.address) if of_log else None,
        )


def _where(outcome: WakeOutcome) -> str:
    if outcome.inbox_id is not None:
        return f"in the inbox of agent {outcome.agent_id}"
    return f"session {outcome.session_id}"


def _read(message: StoredMessage | None) -> tuple[str | None, Any, str | None]:
    if message is None:
        return None, None, "The log no longer has this message"
    try:
        return decode(message).envelope.type, msgspec.json.decode(message.data), None
    except (Failure, Permanent, msgspec.DecodeError) as error:
        return message.event_type or None, _text(message.data), f"It can't be read: {error}"


def _read_wake(message: StoredMessage | None) -> tuple[str | None, Any, str | None]:
    """A wake's type, what another service sent as text, and why it is no wake. The bytes may be anything."""
    if message is None:
        return None, None, "The stream of wakes no longer has this message"
    try:
        return read_wake(message.headers, message.data).type, _text(message.data), None
    except Rejected as error:
        return None, _text(message.data), error.message


def _text(data: bytes) -> str:
    """The beginning of a message as text that can be looked at: what isn't UTF-8, and control characters
    that would change how other text is drawn, are escaped."""
    shown = data[:_SHOWN_BYTES].decode("utf-8", "backslashreplace")
    safe = "".join(
        char if char.isprintable() or char in "\n\t" else char.encode("unicode_escape").decode()
        for char in shown
    )
    left = len(data) - _SHOWN_BYTES
    return safe if left <= 0 else f"{safe}\n… and {left} bytes more"
