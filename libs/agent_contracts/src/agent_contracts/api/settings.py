"""Settings, what a test of a model found, and what was learned of models."""

from enum import StrEnum
from typing import Annotated, Any, Literal

import msgspec

from agent_contracts.api.versions import VersionRecord
from agent_contracts.api.wire import Page, ResponseBody, SecretBody
from agent_contracts.entities.model_adaptations import Adaptation
from agent_contracts.json_value import Json
from agent_contracts.questions.generation import Intelligence
from agent_contracts.questions.model_tests import ModelCheck, ModelWish
from agent_contracts.timestamp import Timestamp


class Level(StrEnum):
    """Where a setting's value comes from; the first that has one counts."""

    ENVIRONMENT = "environment"
    AGENT = "agent"
    INSTALLATION = "installation"
    FILE = "file"
    DEFAULT = "default"


Form = Literal["text", "number", "choice", "address", "prices", "secret"]


class AdaptationShown(ResponseBody, frozen=True, kw_only=True):
    """A way in which requests to a model are changed because its server refused another."""

    label: str
    """Names the adaptation, to reset it alone."""
    adaptation: Adaptation
    """What is changed."""
    field: str | None
    """The field of the request that it is about; null: none."""
    meaning: str
    """What is changed, in words."""
    said: str
    """What the server said when it was learned."""
    learned_at: Timestamp
    """When it was learned."""


class AdaptedModel(ResponseBody, frozen=True, kw_only=True):
    """A model at a server, with what was learned of it."""

    name: str
    """Names the model and the server together, to reset it by."""
    server: str
    """The server's address, or its provider's name."""
    model: str
    """The model, as the server calls it."""
    adaptations: list[AdaptationShown]
    """What was learned, oldest first."""


class ResetAdaptations(ResponseBody, frozen=True, kw_only=True):
    """What a reset did."""

    reset: int
    """Number of models that were reset."""


Group = Literal["models", "keys", "prices", "budgets", "limits", "search", "commands", "people"]


class OwnValue(VersionRecord, frozen=True, kw_only=True):
    """What one level has for a setting."""

    value: Json
    """Its value; null for a secret."""


class Setting(ResponseBody, frozen=True, kw_only=True):
    """One setting for people."""

    name: str
    """Its name in this API."""
    variable: str
    """The environment variable that sets it, such as `FOLDLINE_…`."""
    group: Group
    """The group that it is shown in."""
    form: Form
    """How a form asks for it."""
    choices: list[str]
    """The values to choose from; empty: any that fits."""
    may_be_empty: bool
    """Whether an empty text is a value of its own: nothing, whatever holds below."""
    meaning: str
    """What it does, in words."""
    allowed: str
    """What a value must be, in words."""
    value: Json
    """The value that counts; null: none, or a secret."""
    is_set: bool
    """Whether there is a value that counts, also for a secret."""
    source: Level
    """The level that the value comes from."""
    origin: str | None
    """The variable or file that it comes from; null: another level."""
    locked: bool
    """The environment sets it, so it can't be written."""
    own: "OwnValue | None"
    """What this level has; null: nothing, so there is nothing to reset."""
    below: "ValueBelow"
    """What would count if this level had nothing."""


class ValueBelow(ResponseBody, frozen=True, kw_only=True):
    """What counts where a level has nothing of its own."""

    value: Json
    """The value; null: none, or a secret."""
    is_set: bool
    """Whether there is a value, also for a secret."""
    source: Level
    """The level that the value comes from."""


class OperatorSetting(ResponseBody, frozen=True, kw_only=True):
    """A setting that processes read when they start."""

    variable: str
    """The environment variable that sets it, such as `FOLDLINE_…`."""
    value: str
    """Its value; never a secret."""
    source: str
    """Where the value comes from."""
    meaning: str
    """What it does, in words."""


class Settings(Page[Setting], frozen=True, kw_only=True):
    """All settings of an agent or of the installation, by group."""

    agent_id: str | None
    """Id of the agent whose settings they are. Null: the installation's, which hold for agents without their
    own."""
    operator: list[OperatorSetting]
    """Settings that only a restart changes."""


class ModelTest(ResponseBody, frozen=True, kw_only=True):
    """What came of one test call of a model."""

    ok: bool
    """Whether the model answered."""
    model: str
    """The model that was asked."""
    server: str | None
    """The server's address, or its provider's name; null: unknown."""
    said: str | None
    """What the model answered; null: nothing."""
    problem: str | None
    """What went wrong and what to do; null: nothing went wrong."""
    failure: str | None
    """What went wrong, for programs; null: nothing went wrong."""
    ms: int
    """How long it took, in milliseconds."""
    tokens: int | None
    """Tokens that it used; null: unknown."""
    cost_micros: int | None
    context_window: int | None
    """Number of tokens that the model takes; null: unknown."""
    checks: list[ModelCheck] = msgspec.field(default_factory=list)
    """What the model can do; empty: not asked for."""
    models: list[str] = msgspec.field(default_factory=list)
    """The models of its server; empty: not asked for."""
    small_since: str | None = None
    """Why the model gets the preset for small models; null: it gets the usual one."""


_Values = Annotated[
    dict[Annotated[str, msgspec.Meta(max_length=100)], Any],
    msgspec.Meta(max_length=100),
]


class WriteSettings(SecretBody, frozen=True, kw_only=True):
    """Settings from now on. They hold together from the next call on."""

    values: _Values
    """Values by name. Null resets one. An empty text sets one that may be empty to nothing, whatever holds
    below."""
    versions: Annotated[dict[str, Annotated[int, msgspec.Meta(ge=0)]], msgspec.Meta(max_length=100)] = (
        msgspec.field(default_factory=dict)
    )
    """Versions by name. Nothing is written if one of them has changed."""


class TryModel(SecretBody, frozen=True, kw_only=True):
    """A model to test."""

    level: Intelligence | None = None
    """Test the model of this level. Null: the one that answers in sessions that name none."""
    wants: ModelWish = "answer"
    """`answer`: one short answer. `checks`: all checks of what the model can do. `list`: the models of its
    server. `ready`: only whether everything is installed that it needs."""
    values: _Values = msgspec.field(default_factory=dict)
    """Settings to test in place of those that hold, keys among them. They are not stored."""
