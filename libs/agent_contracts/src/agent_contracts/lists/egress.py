"""The requests that left the machine in the name of agents' calls, or were kept from it."""

from typing import Annotated

import msgspec

from agent_contracts.egress import EgressVerdict
from agent_contracts.form_inputs import declared
from agent_contracts.lists.kind import CallRecord, ListFilter, ListKind, when


class EgressRecord(CallRecord, frozen=True, kw_only=True):
    """A request that left, or was stopped, for a call. Redirects are requests of their own."""

    host: str
    method: str
    path: str
    """The path, without the query."""
    verdict: EgressVerdict
    """`sent`: it left. Otherwise nothing left: a person had to approve it first (`asked`), the policy or a
    person refused it (`refused`), nothing may go there (`blocked`), or nobody answered (`failed`)."""
    bytes_out: int
    bytes_in: int
    status: int | None
    """The HTTP status of the answer; null: there was none."""
    secrets: list[str]


class EgressFilter(ListFilter, frozen=True, kw_only=True):
    """Which requests."""

    host: (
        Annotated[
            str,
            msgspec.Meta(max_length=253, pattern=r"^[A-Za-z0-9.:_\-]*$"),
            declared("Host", "Only this host and its subdomains.", letters="small"),
        ]
        | None
    ) = None
    verdict: Annotated[EgressVerdict, declared("Outcome", "Filter by outcome.")] | None = None


EGRESS = ListKind(
    name="egress",
    row=EgressRecord,
    filter=EgressFilter,
    operation="listEgress",
    about="""A page of the requests that left in the name of agents' calls, or were kept from it, newest
    first. A call tells of its own with its result: what a runner sent that died before is not among them.""",
    help="List your agents' outgoing requests, allowed and blocked, newest first. --json has every detail.",
    none="Nothing left this machine.",
    columns={
        "when": when,
        "what": lambda one: one.verdict if one.status is None else f"{one.verdict} {one.status}",
        "where": lambda one: f"{one.method} {one.host}{one.path}",
        "#out": lambda one: str(one.bytes_out),
        "#in": lambda one: str(one.bytes_in),
        "secrets": lambda one: ", ".join(one.secrets),
        "tool": lambda one: one.tool or "",
        "session": lambda one: one.session_id,
    },
)
