"""Bisections: what the entity `bisection` says, from its beginning to what it found."""

from typing import Literal

import msgspec

from agent_contracts.ids import AgentId, SessionId
from agent_contracts.json_value import Json

_PROBE = "probe_"
PROBES_STAY_INSIDE = (
    "This is a probe of a bisection, which changes nothing outside: it may read the web by GET, but sends "
    "nothing, has no browser, and none of the agent's secrets"
)

BisectionStatus = Literal["running", "stopping", "found", "not_found", "stopped", "failed"]
"""`stopping`: a person stopped it, and its probes are being put away. `not_found`: the check holds now, or it
held at no moment that was looked at."""


class Check(msgspec.Struct, frozen=True, omit_defaults=True):
    """What must hold: something about the answer to the message `ask`, or that `function` returns true."""

    ask: str | None = None
    """The message that each run sends; null: the check calls a function."""
    expect: str | None = None
    """Text that the answer must contain; null: any."""
    expect_not: str | None = None
    """Text that the answer must not contain; null: any."""
    regex: bool = False
    """`expect` and `expect_not` are regular expressions."""
    function: str | None = None
    """Name of the agent's function that must return true; null: the check sends a message."""
    arguments: dict[str, Json] = {}
    """The arguments of the function."""


class CheckRun(msgspec.Struct, frozen=True, omit_defaults=True):
    """One try of the check: whether it held, in which session, and the beginning of what came."""

    holds: bool
    session_id: SessionId | None = None
    answer: str = ""
    tokens: int = 0
    cost_micros: int | None = None


class Probe(msgspec.Struct, frozen=True, omit_defaults=True):
    """The check against the agent as of event `at`. Two runs; a third where they differ, and most win."""

    at: int
    runs: tuple[CheckRun, ...] = ()

    @property
    def holds(self) -> bool | None:
        """Whether the check holds there; None as long as that is open."""
        ayes = sum(run.holds for run in self.runs)
        noes = len(self.runs) - ayes
        if max(ayes, noes) >= 2:
            return ayes > noes
        return None


class Bisection(msgspec.Struct, frozen=True, omit_defaults=True):
    """A search among the agent's events after `after` and up to `up_to` for the one that broke the check.

    `events` are so many. Each probe is one of `probes`, in their order. `probe_agent` is the agent that is
    made to be what this one was. `first_bad` is the event that was found; `reason` says in words why there is
    none.
    """

    id: str
    check: Check
    after: int
    up_to: int
    events: int
    probe_agent: AgentId
    status: BisectionStatus = "running"
    model: str | None = None
    token_limit: int = 0
    probes: tuple[Probe, ...] = ()
    first_bad: int | None = None
    reason: str | None = None


def probe_agent_id(bisection_id: str) -> AgentId:
    """The id of the agent that a bisection's probes have."""
    return AgentId(f"{_PROBE}{bisection_id}")


def is_probe(agent_id: str) -> bool:
    """Whether an agent is that of a bisection's probes: nothing outside may be changed in its name, and no
    list has it. Nobody can make an agent with such an id."""
    return agent_id.startswith(_PROBE)


def bisection_from(value: Json) -> Bisection:
    """What a value of the kind `bisection` says."""
    return msgspec.convert(value, Bisection)
