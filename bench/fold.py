"""How fast stored events become a session, on one core."""

import time
from collections.abc import Callable

from agent_contracts.ids import SessionId
from agent_contracts.log.record.codec import RecordedEvent
from agent_contracts.log.record.records import StoredMessage, decode, split
from agent_contracts.session_events.union import SessionEvent
from bench.conversation import Conversation, as_message
from bench.sampling import median
from bench.table import Figure, at_least
from session_domain.domain.decide import decide
from session_domain.domain.fold.evolve import evolve
from session_domain.domain.state import SessionState

GROUP = "fold"
_ID = SessionId("s_bench")


def measure(*, events: int, rounds: int) -> list[Figure]:
    """Processor time, not the clock's: what others do on this machine doesn't count."""
    recorded = Conversation(_ID).grow(events)
    messages = [_stored(one) for one in recorded]

    def fold() -> None:
        state = SessionState(_ID)
        for one in recorded:
            state = evolve(state, one)

    def decode_and_fold() -> None:
        state = SessionState(_ID)
        for one in messages:
            for event in split(one):
                state = evolve(state, decode(event))

    def decide_each() -> None:
        state = SessionState(_ID)
        for one in recorded:
            state = evolve(state, one)
            decide(state)

    note = f"{len(recorded):,} events of one session, half of them 1 KB; processor time"
    return [
        Figure(GROUP, "fold only", _rate(fold, len(recorded), rounds), "events/s", at_least(100_000), note),
        Figure(GROUP, "decode + fold", _rate(decode_and_fold, len(recorded), rounds), "events/s"),
        Figure(GROUP, "fold + decide (replay)", _rate(decide_each, len(recorded), rounds), "events/s"),
    ]


def _rate(work: Callable[[], None], events: int, rounds: int) -> float:
    rates = []
    for _ in range(rounds):
        began = time.process_time()
        work()
        rates.append(events / (time.process_time() - began))
    return median(rates)


def _stored(recorded: RecordedEvent[SessionEvent]) -> StoredMessage:
    message = as_message(recorded)
    return StoredMessage(recorded.sequence, message.subject, message.data, message.headers)
