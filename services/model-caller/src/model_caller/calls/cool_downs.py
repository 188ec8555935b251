"""Which keys, models and servers aren't asked for a while, since they just failed. Known to this process."""

import hashlib
import time
from collections.abc import Callable

from cachetools import LRUCache

from agent_contracts.session_events.results import ModelFailure
from model_caller.answers.failures import ModelFault
from model_caller.choosing.target import ModelTarget

MINUTES_10 = 600.0
RATE_LIMIT_S, FAILURE_S = 60.0, 30.0
"""For a server that doesn't say how long, and for one that failed."""
LONGEST_S = 3_600.0
_REMEMBERED = 10_000

Place = tuple[str, ...]
"""What cools down: a server, a key, a model at a server, or a model with a key."""


class CoolDowns:
    """Remembers until when. `now` in seconds, of a clock that never goes back."""

    def __init__(self, now: Callable[[], float] = time.monotonic) -> None:
        self._now = now
        self._until: LRUCache[Place, float] = LRUCache(_REMEMBERED)

    def failed(self, target: ModelTarget, fault: ModelFault) -> None:
        """It gave no answer, so that what this is about cools down."""
        about = place_of(target, fault)
        if about is not None:
            until = self._now() + _seconds(fault)
            self._until[about] = max(until, self._until.get(about, until))

    def until(self, target: ModelTarget) -> float:
        """When this may be asked again; 0 where nothing speaks against it now."""
        until = max((self._until.get(place, 0.0) for place in places_of(target)), default=0.0)
        return until if until > self._now() else 0.0


def places_of(target: ModelTarget) -> frozenset[Place]:
    """All that has to have cooled down before it is asked."""
    key = _key(target)
    return frozenset(
        {
            ("server", target.server),
            ("key", target.server, key),
            ("model", target.server, target.model),
            ("model with key", target.server, target.model, key),
        }
    )


def place_of(target: ModelTarget, fault: ModelFault) -> Place | None:
    """What this failure is about; None: the request, or nothing that another one would do better."""
    server, model, key = target.server, target.model, _key(target)
    if fault.no_api:
        return ("server", server)
    match fault.failure:
        case ModelFailure.UNREACHABLE:
            return ("server", server)
        case ModelFailure.RATE_LIMITED if fault.transient:  # providers count for each model
            return ("model with key", server, model, key)
        case ModelFailure.AUTHENTICATION if fault.status == 403:  # a key may be for some models
            return ("model with key", server, model, key)
        case ModelFailure.AUTHENTICATION | ModelFailure.RATE_LIMITED:  # refused, or nothing is left to spend
            return ("key", server, key)
        case (
            ModelFailure.OVERLOADED
            | ModelFailure.CUT_STREAM
            | ModelFailure.TIMEOUT
            | ModelFailure.UNKNOWN_MODEL
        ):
            return ("model", server, model)
        case _:
            return None


def _seconds(fault: ModelFault) -> float:
    match fault.failure:
        case ModelFailure.RATE_LIMITED if fault.transient:
            return min(LONGEST_S, RATE_LIMIT_S if fault.retry_after is None else fault.retry_after)
        case ModelFailure.RATE_LIMITED | ModelFailure.AUTHENTICATION | ModelFailure.UNKNOWN_MODEL:
            return MINUTES_10
        case _:
            return max(FAILURE_S, min(LONGEST_S, fault.retry_after or 0.0))


def _key(target: ModelTarget) -> str:
    return hashlib.sha256((target.api_key or "").encode()).hexdigest()[:16]
