"""Policies, and what one would have said of past calls."""

from typing import Annotated

import msgspec

from agent_contracts.api.versions import VersionRecord
from agent_contracts.api.wire import Current, RequestBody, ResponseBody
from agent_contracts.form_inputs import FormInput
from agent_contracts.policies import MOST_RULES, Preset, Rule, Verdict
from agent_contracts.timestamp import Timestamp


class PolicyOfAgent(VersionRecord, frozen=True, kw_only=True):
    """Which calls of an agent are allowed, asked for or denied.

    A *deny* that fits always counts; otherwise the first rule that fits decides.
    """

    preset: Preset
    """The preset whose rules come after the person's."""
    rules: list[Rule]
    """The person's rules, in order."""
    preset_rules: list[Rule]
    """The rules of the preset. They can't be written."""
    conditions: list[FormInput]
    """What rules can say."""


class JudgedCall(ResponseBody, frozen=True, kw_only=True):
    """A past call, and what two policies say of it."""

    session_id: str
    title: str | None
    call_id: str
    tool: str
    """The tool's name."""
    what: str
    """What the call was about, in short, such as a URL or a path."""
    requested_at: Timestamp
    """When the model asked for the call."""
    was: Verdict
    """What the policy says of it now."""
    was_by: str
    """The rule that says so, in words."""
    would: Verdict
    """What the policy of the trial would say."""
    would_by: str
    """The rule that would say so, in words."""


class PolicyTrial(ResponseBody, frozen=True, kw_only=True):
    """What a policy would say of past calls."""

    of: int
    """Number of calls that were judged: the newest ones."""
    verdicts: dict[Verdict, int]
    """By verdict: the number of calls that it would be given to."""
    differ: int
    """Number of calls whose verdict would change."""
    shown: list[JudgedCall]
    """The newest of the calls whose verdict would change."""


class WritePolicy(RequestBody, frozen=True, kw_only=True):
    """The policy of an agent from now on."""

    preset: Preset
    """The preset whose rules come after yours."""
    rules: Annotated[list[Rule], msgspec.Meta(max_length=MOST_RULES)]
    """Your rules, in order."""
    version: Current = None
