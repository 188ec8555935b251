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
    """One of them: what it is in words, and what the server `said` when it was learned (RFC 3339). Its
    `label` names it."""

    label: str
    adaptation: Adaptation
    field: str | None
    meaning: str
    said: str
    learned_at: Timestamp


class AdaptedModel(ResponseBody, frozen=True, kw_only=True):
    """A model at a server, by the `name` of both, with what was learned of it, oldest first."""

    name: str
    server: str
    model: str
    adaptations: list[AdaptationShown]


class ResetAdaptations(ResponseBody, frozen=True, kw_only=True):
    """How many were reset."""

    reset: int


Group = Literal["models", "keys", "prices", "budgets", "limits", "search", "commands", "people"]


class OwnValue(VersionRecord, frozen=True, kw_only=True):
    """What one level has: its value (null for a secret), and who wrote it when."""

    value: Json


class Setting(ResponseBody, frozen=True, kw_only=True):
    """One setting of a person's. `value` is the one that counts (null: none; a secret has `is_set` alone).

    `source` says which level it comes from, `origin` more precisely: a variable or a file. `locked`: the
    environment says it, so it can't be written. `own` is what this level itself has, an agent or the
    installation (null: nothing, so there is nothing to reset), and `below` what would count without it.
    """

    name: str
    variable: str
    group: Group
    form: Form
    choices: list[str]
    may_be_empty: bool
    meaning: str
    allowed: str
    value: Json
    is_set: bool
    source: Level
    origin: str | None
    locked: bool
    own: "OwnValue | None"
    below: "ValueBelow"


class ValueBelow(ResponseBody, frozen=True, kw_only=True):
    """What counts where a level has nothing of its own."""

    value: Json
    is_set: bool
    source: Level


class OperatorSetting(ResponseBody, frozen=True, kw_only=True):
    """A setting that processes are told when they start. `value` never holds a secret."""

    variable: str
    value: str
    source: str
    meaning: str


class Settings(Page[Setting], frozen=True, kw_only=True):
    """All settings: a person's, by group; and an operator's, which only a restart changes. `agent_id`: whose
    they are; null: the installation's, which hold for agents without any of their own."""

    agent_id: str | None
    operator: list[OperatorSetting]


class ModelTest(ResponseBody, frozen=True, kw_only=True):
    """What came of one call. `ok`: the model answered, with what it `said`; else `problem` says what happened
    and what to do, `failure` the kind of it. `ms` is how long it took; `tokens` in all; `cost_micros` in
    millionths of a dollar, null where nobody knows. `small_since`: why it gets the preset for small ones.
    `checks` and `models` where those were asked for."""

    ok: bool
    model: str
    server: str | None
    said: str | None
    problem: str | None
    failure: str | None
    ms: int
    tokens: int | None
    cost_micros: int | None
    context_window: int | None
    checks: list[ModelCheck] = msgspec.field(default_factory=list)
    models: list[str] = msgspec.field(default_factory=list)
    small_since: str | None = None


_Values = Annotated[
    dict[Annotated[str, msgspec.Meta(max_length=100)], Any],
    msgspec.Meta(max_length=100, description="by name"),
]


class WriteSettings(SecretBody, frozen=True, kw_only=True):
    """Values by name, which hold together from the next call on; null resets one. An empty text sets one
    that may be empty to nothing, whatever holds below it. `versions`: those that they must still have."""

    values: _Values
    versions: Annotated[dict[str, Annotated[int, msgspec.Meta(ge=0)]], msgspec.Meta(max_length=100)] = (
        msgspec.field(default_factory=dict)
    )


class TryModel(SecretBody, frozen=True, kw_only=True):
    """The level to test (null: what answers in sessions that name no model), and `values` in place of the
    settings that hold, keys among them, which are not stored."""

    level: Intelligence | None = None
    wants: ModelWish = "answer"
    """One short answer; all checks of what the model can do; the models of its server; or only whether all is
    installed that it is asked with."""
    values: _Values = msgspec.field(default_factory=dict)
