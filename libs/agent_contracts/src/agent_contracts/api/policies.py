"""Policies, and what one would have said of past calls."""

from typing import Annotated

import msgspec

from agent_contracts.api.versions import VersionRecord
from agent_contracts.api.wire import Current, RequestBody, ResponseBody
from agent_contracts.form_inputs import FormInput
from agent_contracts.policies import MOST_RULES, Preset, Rule, Verdict
from agent_contracts.timestamp import Timestamp


class PolicyOfAgent(VersionRecord, frozen=True, kw_only=True):
    """The person's rules. A *deny* that fits always counts; otherwise the first rule that fits decides. The
    rules of the preset (`preset_rules`) come after them; they are shown here and can't be written.
    `conditions` are what rules can say."""

    preset: Preset
    rules: list[Rule]
    preset_rules: list[Rule]
    conditions: list[FormInput]


class JudgedCall(ResponseBody, frozen=True, kw_only=True):
    """A past call, what the policy says of it now (`was`), and what this one would: each with its rule."""

    session_id: str
    title: str | None
    call_id: str
    tool: str
    what: str
    requested_at: Timestamp
    was: Verdict
    was_by: str
    would: Verdict
    would_by: str


class PolicyTrial(ResponseBody, frozen=True, kw_only=True):
    """How many of the newest `of` calls the policy would allow, ask for and deny. `differ` is the number
    whose verdict would change; `shown` are the newest of these."""

    of: int
    verdicts: dict[Verdict, int]
    differ: int
    shown: list[JudgedCall]


class WritePolicy(RequestBody, frozen=True, kw_only=True):
    """The preset, and the person's own rules, which come before it."""

    preset: Preset
    rules: Annotated[list[Rule], msgspec.Meta(max_length=MOST_RULES)]
    version: Current = None
