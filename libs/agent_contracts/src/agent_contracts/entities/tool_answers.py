"""What a tool or a function returned to whoever ran it from outside a session; the entity `call` keeps it."""

import msgspec

from agent_contracts.blob_ref import BlobRef
from agent_contracts.egress import CallEgress
from agent_contracts.errors import ToolError
from agent_contracts.ids import CallId, SessionId
from agent_contracts.json_value import Json
from agent_contracts.outside import Sources
from agent_contracts.policies import Verdict
from agent_contracts.session_events.results import Usage


class ToolAnswer(msgspec.Struct, frozen=True, omit_defaults=True):
    """What a tool or a function returned, a large result as the blob of its JSON; or why there is none.

    `request` is the digest of the request that it answers, where that had an idempotency key: another one
    than was asked with says that the key was used before. `usage` is what it asked of models. Of a test run,
    `logs` is what its code logged, and `ms` how many milliseconds it took. `outside`: where material came
    from that the tool read; `sent`: what left meanwhile; `wanted`: what a person is to be asked, since it may
    not leave without their yes.
    """

    result: Json = None
    blob: BlobRef | None = None
    error: ToolError | None = None
    request: str | None = None
    usage: Usage | None = None
    logs: tuple[str, ...] = ()
    ms: int | None = None
    outside: Sources = ()
    sent: CallEgress | None = None
    wanted: dict[str, Json] | None = None


class AppsCall(msgspec.Struct, frozen=True, omit_defaults=True):
    """That an app of a foreign server called: that of the session's call `of`. What the policy said of it, by
    which `rule`; what it asked for ran only if the person before the app `approved` it."""

    session_id: SessionId | None
    of: CallId
    arguments: dict[str, Json]
    verdict: Verdict
    rule: str
    approved: bool = False


class KeyedCall(msgspec.Struct, frozen=True, omit_defaults=True):
    """The value of a `call` entity: that a function was called, or by an app a foreign tool, and how that
    ended, once it has."""

    name: str
    request: str
    answer: ToolAnswer | None = None
    by_app: AppsCall | None = None
