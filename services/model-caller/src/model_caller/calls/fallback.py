"""Asks the models of a chain, with their keys, one after the other until one answers."""

import hashlib
from collections.abc import Awaitable, Callable, Sequence
from functools import partial
from itertools import groupby
from typing import Generic, TypeVar

import msgspec
import structlog

from agent_contracts.session_events.results import FailedTry
from agent_platform.process.stop_points import stop_point
from model_caller.answers.failures import ModelFault, failed_try
from model_caller.calls.cool_downs import CoolDowns, place_of, places_of
from model_caller.calls.outcome import Elsewhere, ModelOutcome
from model_caller.choosing.target import ModelTarget

P = TypeVar("P")

MOST_KEYS = 10
"""Keys of one model that a call tries: the others come later, once these cool down."""

log = structlog.get_logger()


class ChainStep(msgspec.Struct, frozen=True):
    """One of a chain, asked after `attempts_before` attempts at others. `since`: why the one before it gave
    no answer. `elsewhere`: see `ModelAsker.ask`."""

    target: ModelTarget
    attempts_before: int
    since: ModelFault | None
    elsewhere: Elsewhere


class ChainOutcome(msgspec.Struct, Generic[P], frozen=True):
    """How a chain ended, what was `prepared` for the model that this is about, and which others were `tried`:
    those before it, or all of them where none answered. Empty where only one was asked."""

    prepared: P
    outcome: ModelOutcome
    tried: tuple[FailedTry, ...] = ()


class Fallback:
    """By kind of failure: a key that is refused or used up gives way to the next one, a model that can't be
    had to the next model. A request that is at fault itself goes to no other. What failed lately is asked
    last, but it is asked before the call fails."""

    def __init__(self, cool_downs: CoolDowns) -> None:
        self._cool_downs = cool_downs

    async def ask(
        self,
        targets: Sequence[ModelTarget],
        who: str,
        ask: Callable[[ChainStep], Awaitable[tuple[P, ModelOutcome]]],
    ) -> ChainOutcome[P]:
        """What the first that answers says, else the failure that is most likely to pass. `who` always begins
        with the same key, whose provider may have its prompt in a cache."""
        waiting = self._in_order(targets, who)
        ended: list[tuple[ModelTarget, P, ModelOutcome]] = []
        tried: list[FailedTry] = []
        total, since = ModelOutcome(None, None, 0, 0), None
        while True:
            target, *waiting = waiting
            step = ChainStep(target, total.attempts, since, partial(_is_elsewhere, target, waiting))
            prepared, outcome = await ask(step)
            total = outcome.after(total)
            since = outcome.fault
            if since is None:
                return _seen(ChainOutcome(prepared, total, tuple(tried)), ended)
            about = place_of(target, since)
            ended.append((target, prepared, outcome))
            if len(targets) > 1:
                tried.append(failed_try(since, target))
            if about is None:
                break
            self._cool_downs.failed(target, since)
            waiting = [one for one in waiting if about not in places_of(one)]
            if not waiting:
                break
            log.info("model.fell_back", model=target.model, key=target.key, kind=since.kind)
            await stop_point("model.fell_back")
        prepared, outcome = _most_hopeful(ended) if about is not None else (prepared, outcome)
        counted = msgspec.structs.replace(outcome, attempts=total.attempts, took_ms=total.took_ms)
        return ChainOutcome(prepared, counted, tuple(tried) if len(tried) > 1 else ())

    def _in_order(self, targets: Sequence[ModelTarget], who: str) -> list[ModelTarget]:
        found: list[ModelTarget] = []
        chosen = int.from_bytes(hashlib.sha256(who.encode()).digest()[:4])
        for _, each in groupby(targets, key=lambda one: one.model):
            keys = list(each)
            first = chosen % len(keys)
            found += (keys[first:] + keys[:first])[:MOST_KEYS]
        return sorted(found, key=self._cool_downs.until)  # those that may be asked stay in order


def _is_elsewhere(target: ModelTarget, waiting: Sequence[ModelTarget], fault: ModelFault) -> bool:
    about = place_of(target, fault)
    return about is not None and any(about not in places_of(one) for one in waiting)


def _most_hopeful(ended: Sequence[tuple[ModelTarget, P, ModelOutcome]]) -> tuple[P, ModelOutcome]:
    """The failure by which the session waits: of a server that may be seen to answer again, else one that
    passes, else the first one's."""

    def hope(one: tuple[ModelTarget, P, ModelOutcome]) -> int:
        fault = one[2].fault
        assert fault is not None
        return 2 if fault.may_answer_again else int(fault.transient)

    _, prepared, outcome = max(ended, key=hope)
    return prepared, outcome


def _seen(answered: ChainOutcome[P], ended: Sequence[tuple[ModelTarget, P, ModelOutcome]]) -> ChainOutcome[P]:
    """The same; if it was told to stop before the last one said anything, with what people saw of another."""
    answer = answered.outcome.answer
    if answer is None or answer.ending.cut != "stopped" or answer.text or answer.calls or answer.thinking:
        return answered
    for at, (_, prepared, outcome) in reversed([*enumerate(ended)]):
        if outcome.said is not None:
            seen = msgspec.structs.replace(answered.outcome, answer=outcome.said, adapted=outcome.adapted)
            return ChainOutcome(prepared, seen, answered.tried[:at])
    return answered
