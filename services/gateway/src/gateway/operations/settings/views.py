"""Settings as people see them: the value that counts, where it comes from, what a reset would bring."""

from typing import Literal

from pydantic import Field

from agent_contracts.json_value import Json
from agent_domain.personal.precedence import Level
from agent_domain.personal.values import Form
from gateway.operations.agents.written import Written
from gateway.queries.view import View

Group = Literal["models", "keys", "prices", "budgets", "limits", "search", "commands", "people"]


class Setting(View):
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


class OwnValue(Written):
    """What one level has: its value (null for a secret), and who wrote it when."""

    value: Json


class ValueBelow(View):
    """What counts where a level has nothing of its own."""

    value: Json
    is_set: bool
    source: Level


class OperatorSetting(View):
    """A setting that processes are told when they start. `value` never holds a secret."""

    variable: str
    value: str
    source: str
    meaning: str


class Settings(View):
    """All settings: a person's, by group; and an operator's, which only a restart changes. `agent_id`: whose
    they are; null: the installation's, which hold for agents without any of their own."""

    agent_id: str | None
    settings: list[Setting]
    operator: list[OperatorSetting]


class CheckedModel(View):
    """One thing that a model can do or can't; `ok` is null where that can't be told. Without what is `needed`
    no agent can work with it."""

    name: str
    ok: bool | None
    needed: bool
    words: str


class ModelTest(View):
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
    checks: list[CheckedModel] = Field(default_factory=list)
    models: list[str] = Field(default_factory=list)
    small_since: str | None = None
