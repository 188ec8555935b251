"""What a command sends, by the policy of the call that started it, until a call tells of it."""

import dataclasses

from agent_contracts.egress import EgressRequest
from agent_contracts.errors import ErrorKind, Rejected
from agent_contracts.json_value import Json
from agent_contracts.outside import Sources, source
from agent_domain.policies.judgement import CompiledPolicies
from agent_platform.entities.entities import Entities
from agent_tools.context import ApprovalNeed, CallContext, EgressNotes
from agent_tools.running.gate import RequestGate
from egress.proxy.terms import Allowance, Terms
from workspace_host import limits


class CommandEgress:
    """Judges and notes the requests of one command. What began after its call had ended is told by the next
    call that looks at it."""

    def __init__(self, entities: Entities, policies: CompiledPolicies, call: CallContext) -> None:
        self._call = dataclasses.replace(call, wanted=ApprovalNeed(), outgoing=EgressNotes())
        gate = RequestGate(entities, self._call, policies)
        self.terms = Terms(
            gate, note=self._note, connections=limits.CONNECTIONS, allowance=Allowance(limits.CARRIED)
        )

    def _note(self, request: EgressRequest) -> None:
        self._call.outgoing.note(request)
        if request.verdict == "sent":
            self._call.outside.bring(source("web", request.host))

    def tell(self, call: CallContext, *, asks: bool) -> dict[str, Json] | None:
        """Have a call tell of all of it. Where a person has to allow something of it first:
        `Rejected(kind="approval_needed")`, and the call ends with that; or, where it doesn't ask, what."""
        call.outgoing.join(self._call.outgoing.sent)
        self._call.outgoing.sent = None
        call.outside.bring(*self._sources)
        if not asks:
            return self._call.wanted.show
        wanted, self._call.wanted.show = self._call.wanted.show, None
        if wanted is not None:
            call.wanted.needs(wanted)
            where = {"host": wanted["host"], "method": wanted["method"]}
            raise Rejected(
                f"{wanted['method']} to {wanted['host']} needs a person's yes",
                kind=ErrorKind.APPROVAL_NEEDED,
                details=where,
            )
        return None

    @property
    def _sources(self) -> Sources:
        return self._call.outside.brought
