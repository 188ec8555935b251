"""One call that tests a model, over core NATS request/reply: the gateway asks, a model caller answers.

It is not an event: nothing is stored of it.
"""

from typing import Literal

import msgspec

from agent_contracts.ids import AgentId
from agent_contracts.json_value import Json
from agent_contracts.questions.generation import Intelligence
from agent_contracts.session_events.results import Usage

TEST_MODEL = "model.test"
ModelWish = Literal["answer", "checks", "list", "ready"]
"""One short answer; all checks; the models that the server has; or only whether everything is installed
that it is asked with."""


class ModelCheck(msgspec.Struct, frozen=True):
    """One thing that a model can do or can't."""

    name: str
    """Name of the check."""
    ok: bool | None
    """Whether the model can do it; null: unknown."""
    needed: bool
    """Whether agents can't work without it."""
    words: str
    """What was found, in words."""


class ModelTrial(msgspec.Struct, frozen=True, omit_defaults=True):
    """Which model: that of a level (None: of sessions that name none), by the settings that hold for the
    agent, or for all; `values` are settings as they would be, `sealed` those that are secret, encrypted."""

    agent_id: AgentId
    level: Intelligence | None = None
    values: dict[str, Json] = {}
    sealed: dict[str, bytes] = {}
    wants: ModelWish = "answer"


class ModelTried(msgspec.Struct, frozen=True, omit_defaults=True):
    """Who was asked, and what came of it: what it `said`, or the `problem` in words for a person, with a kind
    for programs (a `ModelFailure`). `small_since`: why the model gets a short prompt and few tools, if so."""

    model: str = ""
    server: str | None = None
    said: str | None = None
    problem: str | None = None
    kind: str | None = None
    ms: int = 0
    usage: Usage | None = None
    context_window: int | None = None
    small_since: str | None = None
    checks: tuple[ModelCheck, ...] = ()
    models: tuple[str, ...] = ()
