"""What people are told of a bisection."""

from typing import Any

from agent_contracts.api.bisections import BisectCost, BisectionProbe, BisectionRun, BisectionShown, SpoiltBy
from agent_contracts.entities.bisections import Bisection
from agent_contracts.entities.entity import EntityDeleted, EntityWritten
from agent_contracts.entities.rewinds import DATABASE
from agent_contracts.log.record.codec import RecordedEvent
from agent_platform.entities.entity import Entity
from gateway.queries.turn_costs import TurnCost


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


def shown(entity: Entity, found: Bisection, event: RecordedEvent[Any] | None, most: int) -> BisectionShown:
    """The view of one; `event` is what it found."""
    runs = [run for probe in found.probes for run in probe.runs]
    costs = [run.cost_micros for run in runs if run.cost_micros is not None]
    return BisectionShown(
        id=found.id,
        status=found.status,
        check=found.check,
        good=found.after,
        bad=found.up_to,
        events=found.events,
        most_probes=most,
        probes=[
            BisectionProbe(
                as_of_sequence=probe.at,
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
        started_at=entity.time,
    )


def _spoilt_by(recorded: RecordedEvent[Any]) -> SpoiltBy:
    event = recorded.event
    is_entity = isinstance(event, EntityWritten | EntityDeleted)
    return SpoiltBy(
        sequence=recorded.sequence,
        kind=event.kind.value if is_entity else DATABASE,
        name=event.name if is_entity else DATABASE,
        deleted=isinstance(event, EntityDeleted),
        session_id=event.session_id,
        call_id=event.call_id,
        written_at=recorded.envelope.time,
    )
