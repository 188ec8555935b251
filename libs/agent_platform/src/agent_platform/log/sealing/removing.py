"""Taking something out of the log without its absence looking like a loss, or accepting that it is gone."""

import hashlib
from collections import defaultdict
from collections.abc import AsyncIterator, Sequence

from agent_contracts.errors import Transient
from agent_contracts.log.record.records import StoredMessage
from agent_contracts.log.subjects import LOG_STREAM, SEALS_BUCKET
from agent_platform.log.bucket import bucket
from agent_platform.log.jetstream import JetStreamLog
from agent_platform.log.overwriting import MOST_OVERWRITTEN, purge_subject, remove_messages
from agent_platform.log.port import Log
from agent_platform.log.sealing.checking import LogLoss, LogState, check, totals
from agent_platform.log.sealing.record import Record, Seals
from agent_platform.log.sealing.seal import (
    Removal,
    RunningTotal,
    Seal,
    SequenceRuns,
    Total,
    first_of,
    range_of,
)
from agent_platform.log.sealing.sealer import Sealer
from agent_platform.nats.connection import NatsConnection

_ATTEMPTS = 20
_OUTLIVED = "outlived"


async def erase(admin: NatsConnection, subjects: Sequence[str], why: str) -> int:
    """Take from the log all messages on `subjects` (wildcards allowed), for ever, and overwrite their bytes
    (of up to `MOST_OVERWRITTEN` messages); how many messages.

    What is taken out is put on record before, as sequences and digests only, so that nobody takes its
    absence for a loss. May be repeated: one that was cut short is then brought to its end.
    """
    log, seals = JetStreamLog(admin), Seals(bucket(admin, SEALS_BUCKET))
    last = await log.last_sequence()
    name = f"erased-{hashlib.sha256(' '.join(sorted(subjects)).encode()).hexdigest()[:32]}"
    found, there = await _on_record(seals, log, name, why, _on(log, subjects, last), last)
    if len(found) + len(there) <= MOST_OVERWRITTEN:
        await remove_messages(admin, LOG_STREAM, [*found, *there])
    else:
        for subject in subjects:
            await purge_subject(admin, LOG_STREAM, subject, last)
    return len(found)


async def remove_outlived(
    admin: NatsConnection, subjects: Sequence[str], records: Sequence[int], why: str
) -> int:
    """Take from the log all messages on `subjects`, and these records; how many messages. As `erase`, but
    their bytes stay until nats-server writes their blocks anew, and all that goes so stands on one record:
    neighbours are one run of it."""
    log, seals = JetStreamLog(admin), Seals(bucket(admin, SEALS_BUCKET))
    last = await log.last_sequence()

    async def going() -> AsyncIterator[StoredMessage]:
        async for message in _on(log, subjects, last):
            yield message
        for sequence in records:
            async for record in log.records(">", after=sequence - 1, up_to=sequence):
                yield record

    found, there = await _on_record(seals, log, _OUTLIVED, why, going(), last)
    await remove_messages(admin, LOG_STREAM, [*found, *there], overwriting=False)
    return len(found)


async def _on(log: JetStreamLog, subjects: Sequence[str], last: int) -> AsyncIterator[StoredMessage]:
    for subject in subjects:
        async for message in log.records(subject, up_to=last):
            yield message


async def _on_record(  # noqa: PLR0913 — what goes, and under which name
    seals: Seals, log: Log, name: str, why: str, going: AsyncIterator[StoredMessage], last: int
) -> tuple[list[int], list[int]]:
    """Put on record that these messages go; which of them weren't on it, and which were, of a removal that
    was cut off."""
    await seal_to(seals, log, last)
    before = await seals.removal(name) or Removal(why, (), {})
    known = (await seals.read()).removed  # under another name too: nothing is taken off twice
    found: list[int] = []
    there: list[int] = []
    adding: dict[int, RunningTotal] = defaultdict(RunningTotal)
    async for message in going:
        if message.sequence in known:
            there.append(message.sequence)  # it was cut off after it was put on record
        else:
            found.append(message.sequence)
            adding[range_of(message.sequence)].add(message)
    removed = {number: one.total for number, one in adding.items()}
    both = {
        number: Total().plus(*_of(number, before.totals, removed)) for number in {*before.totals, *removed}
    }
    runs = SequenceRuns([*before.runs, *((sequence, sequence) for sequence in found)])
    if runs:
        await seals.remove(name, Removal(why, tuple(runs), both))
    return found, there


async def accept_loss(admin: NatsConnection, state: LogState, record: Record) -> LogLoss:
    """Put on record that what is missing or changed is gone, so that the log counts as whole without it; what
    that is. Reads the whole log."""
    log, seals = JetStreamLog(admin), Seals(bucket(admin, SEALS_BUCKET))
    loss = await check(state, record, log)
    if not loss:
        return loss
    differences: dict[int, Total] = {}
    async for number, now, _ in totals(log, record):
        seal = record.seals.get(number)
        if seal is None:
            continue
        there = now.total.plus(record.removed_from(number))
        if first_of(number) > state.last:
            await seals.unseal(number)
        elif seal.last > state.last:
            await seals.seal(number, Seal(state.last, there))
        elif there != seal.total:
            differences[number] = seal.total.minus(there)
    left = loss.missing.within(1, state.last)
    name = f"lost-{state.last}-{len(record.removals)}"
    await seals.remove(name, Removal(f"lost, and accepted: {loss}", tuple(left), differences))
    return loss


async def seal_to(seals: Seals, log: Log, last: int) -> None:
    """Wait until all up to there is sealed: by the one who does, or by us."""
    for _ in range(_ATTEMPTS):
        await Sealer(seals, log).seal_to(last)
        newest = await seals.newest()
        if last == 0 or (newest is not None and newest[1].last >= last):
            return
    raise Transient("the log can't be sealed: others keep writing its seals; try again", retry_after=1)


def _of(number: int, *totals_of: dict[int, Total]) -> list[Total]:
    return [one[number] for one in totals_of if number in one]
