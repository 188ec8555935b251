"""What people are told of a bisection."""

from typing import Any

import msgspec

from agent_contracts.entities.bisections import Bisection, BisectionStatus
from agent_contracts.entities.entity import EntityDeleted, EntityWritten
from agent_contracts.entities.rewinds import DATABASE
from agent_contracts.log.codec import Recorded
from agent_platform.entities.entity import Entity
from gateway.queries.turn_costs import TurnCost
from gateway.queries.view import View


class BisectCost(View):
    """What a bisection among so many `events` takes: at most so many probes, each two runs of the check, and
    a third where they differ.

    `tokens` and `cost_micros` (millionths of a US dollar) are an estimate for `most_runs`, by what a turn of
    this agent took lately; null: nobody knows. `most_tokens` bounds it: no run may use more than its limit.
    """

    events: int
    probes: int
    least_runs: int
    most_runs: int
    tokens: int | None
    cost_micros: int | None
    most_tokens: int


class BisectionRun(View):
    """One run of the check: whether it held, in which session, and the beginning of the answer."""

    holds: bool
    session_id: str | None
    answer: str
    tokens: int
    cost_micros: int | None


class BisectionProbe(View):
    """The check against the agent as of event `at`; `holds` is null while that is open."""

    at: int
    holds: bool | None
    runs: list[BisectionRun]


class SpoiltBy(View):
    """The event after which the check fails: what it wrote (or `deleted`), who did, and when."""

    sequence: int
    kind: str
    name: str
    deleted: bool
    session_id: str | None
    call_id: str | None
    time: str


class BisectionShown(View):
    """A bisection: the search among `events` of the agent after `good` and up to `bad`. At most `most_probes`
    are needed, in the order of `probes`. `spoilt_by` is what was found, `reason` why nothing was.

    `check` is as it was asked for. `probe_agent` has the probes' sessions.
    """

    id: str
    status: BisectionStatus
    check: dict[str, Any]
    good: int
    bad: int
    events: int
    most_probes: int
    probes: list[BisectionProbe]
    tokens: int
    cost_micros: int | None
    probe_agent: str
    spoilt_by: SpoiltBy | None
    reason: str | None
    began_at: str


class NewestBisection(View):
    """The agent's newest bisection; null: it had none yet."""

    bisection: BisectionShown | None


def cost_of(events: int, probes: int, a_turn: TurnCost | None, token_limit: int) -> BisectCost:
    """The cost of so many probes."""
    runs = probes * 3
    cost = None if a_turn is None or a_turn.cost_micros is None else round(a_turn.cost_micros * runs)
    return BisectCost(
        events=events,
        probes=probes,
        least_runs=probes * 2,
        most_runs=runs,
        tokens=None if a_turn is None else round(a_turn.tokens * runs),
        cost_micros=cost,
        most_tokens=token_limit * runs,
    )


def shown(entity: Entity, found: Bisection, event: Recorded[Any] | None, most: int) -> BisectionShown:
    """The view of one; `event` is what it found."""
    runs = [run for probe in found.probes for run in probe.runs]
    costs = [run.cost_micros for run in runs if run.cost_micros is not None]
    return BisectionShown(
        id=found.id,
        status=found.status,
        check=msgspec.to_builtins(found.check),
        good=found.after,
        bad=found.up_to,
        events=found.events,
        most_probes=most,
        probes=[
            BisectionProbe(
                at=probe.at,
                holds=probe.holds,
                runs=[
                    BisectionRun(
                        holds=run.holds,
                        session_id=run.session_id,
                        answer=run.answer,
                        tokens=run.tokens,
                        cost_micros=run.cost_micros,
                    )
                    for run in probe.runs
                ],
            )
            for probe in found.probes
        ],
        tokens=sum(run.tokens for run in runs),
        cost_micros=sum(costs) if costs else None,
        probe_agent=found.probe_agent,
        spoilt_by=None if event is None else _spoilt_by(event),
        reason=found.reason,
        began_at=entity.time,
    )


def _spoilt_by(recorded: Recorded[Any]) -> SpoiltBy:
    event = recorded.event
    is_entity = isinstance(event, EntityWritten | EntityDeleted)
    return SpoiltBy(
        sequence=recorded.sequence,
        kind=event.kind.value if is_entity else DATABASE,
        name=event.name if is_entity else DATABASE,
        deleted=isinstance(event, EntityDeleted),
        session_id=event.session_id,
        call_id=event.call_id,
        time=recorded.envelope.time,
    )
