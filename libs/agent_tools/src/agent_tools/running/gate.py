"""The second gate: what the policy says of each request that leaves in the name of a call, as it leaves."""

import dataclasses

import msgspec

from agent_contracts.entities.entity import EntityKind
from agent_contracts.errors import ErrorKind, Rejected
from agent_contracts.json_value import Json
from agent_contracts.policies import (
    LARGEST_ASKED,
    POLICY_NAME,
    PolicyJudgement,
    Verdict,
    approved_hash,
    lasting,
    shown_of,
)
from agent_domain.policies.judgement import DEFAULT, CompiledPolicies, InForce, judge
from agent_domain.policies.policy_request import (
    READING,
    Context,
    PolicyRequest,
    WebOrigin,
    request_of,
    where_to,
)
from agent_domain.policies.request_contents import carries_nothing
from agent_platform.entities.entities import Entities
from agent_platform.entities.entity import EntityKey
from agent_tools.context import CallContext
from egress.redirects import Hop
from egress.targets import RequestTarget, target_of


class RequestGate:
    """Judges by the policy as of the call's request, with what people allowed of it. It never waits: code is
    told `approval_needed`, the call ends with it, and a yes allows the next run."""

    def __init__(self, entities: Entities, call: CallContext, policies: CompiledPolicies) -> None:
        self._entities = entities
        self._policies = policies
        self._call = call
        self._in_force: InForce | None = None

    def afterwards(self) -> "RequestGate":
        """That of what goes on once the call is over: what was allowed once isn't any more."""
        call = dataclasses.replace(self._call, grants=lasting(self._call.grants))
        later = RequestGate(self._entities, call, self._policies)
        later._in_force = self._in_force
        return later

    async def check(self, hop: Hop, first: RequestTarget) -> None:
        """`Rejected` where the request may not leave: `refused`, or `approval_needed`.

        Where a known URL is redirected, the server says what is asked for: it learns nothing else by that.
        A known URL counts only if the request carries nothing besides.
        """
        request, target = hop.request, hop.target
        to = WebOrigin(target.scheme, target.host, target.port)
        asked = request_of(self._call.tool, self._call.family, request.method, to, target.path)
        await self.require(asked, first.url if carries_nothing(request.headers, request.body) else None)

    async def require(self, asked: PolicyRequest, url: str | None = None) -> None:
        """Likewise of anything else that leaves at this URL; a foreign server is told all of it."""
        asked = self._of_call(asked, url)
        judged = await self.judged(asked)
        if judged.verdict is not Verdict.ALLOW:
            raise self.refusal(asked, judged, url)

    async def require_call(
        self, asked: PolicyRequest, arguments: dict[str, Json], url: str | None = None
    ) -> None:
        """Likewise of what code asks another tool for. A yes for once is for exactly these arguments, which
        the person is shown: `too_large` where these are more than anybody would read."""
        exact = approved_hash(asked.tool, arguments, None)
        asked = msgspec.structs.replace(self._of_call(asked, url), exact=exact)
        judged = await self.judged(asked)
        if judged.verdict is Verdict.ALLOW:
            return
        size = len(msgspec.json.encode(arguments))
        if judged.verdict is Verdict.ASK and size > LARGEST_ASKED:
            message = (
                f"this call of {asked.tool} needs a person's yes ({judged.rule}), and its arguments have "
                f"{size:,} bytes: {LARGEST_ASKED:,} are the most that can be put before one. Nothing was sent"
            )
            raise Rejected(message, kind=ErrorKind.TOO_LARGE)
        asks: Json = {"tool": asked.tool, "arguments": arguments, "exact": exact}
        raise self.refusal(asked, judged, url, asks)

    def _of_call(self, asked: PolicyRequest, url: str | None) -> PolicyRequest:
        known = self._knows(url, whole=asked.server is not None) or self._reads_its_host(asked)
        return msgspec.structs.replace(asked, known_url=known, alias_of=self._call.alias_of)

    def _reads_its_host(self, asked: PolicyRequest) -> bool:
        """Whether it is what the tool declares: reading from its one host, which alone learns of it."""
        fixed, origin = self._call.fixed_host, asked.origin
        if fixed is None or origin is None or asked.method not in READING:
            return False
        return origin.host == fixed.host and origin.scheme == "https" and origin.is_usual

    def of_page(self, method: str, to: WebOrigin, path: str) -> PolicyRequest:
        """What a page in the session's browser asks for by itself: it is the page that names the URL."""
        asked = request_of(self._call.tool, self._call.family, method, to, path)
        return msgspec.structs.replace(asked, known_url=True, alias_of=self._call.alias_of)

    async def judged(self, asked: PolicyRequest) -> PolicyJudgement:
        """What the policy says of it; nothing follows."""
        if self._in_force is None:
            key = EntityKey(self._call.agent_id, EntityKind.POLICY, POLICY_NAME)
            found = await self._entities.as_of(key, self._call.sequence)
            self._in_force = DEFAULT
            if found is not None:
                self._in_force = self._policies.of(key.agent_id, found.sequence, found.value, found.version)
        return judge(self._in_force, asked, Context(self._call.grants, self._call.outside.all))

    def refusal(
        self, asked: PolicyRequest, judged: PolicyJudgement, url: str | None = None, asks: Json = None
    ) -> Rejected:
        """Why it may not leave. If a person may allow it, the call ends with that question; `asks` is what
        it asks another tool for."""
        what = f"{asked.method} to {_named(asked)}" if asked.host else asked.tool
        if judged.verdict is Verdict.DENY:
            return Rejected(f"the policy doesn't allow {what} ({judged.rule})", kind=ErrorKind.REFUSED)
        where = where_to(asked, url)
        show = {**shown_of(self._call.tool, judged), "run": True, **where}
        self._call.wanted.needs(show if asks is None else {**show, "asks": asks})
        details: dict[str, Json] = {"host": asked.host, "method": asked.method}
        nobody = "" if self._call.session else ": nobody is asked here, so allow it in the agent's policy"
        message = f"{what} needs a person's yes ({judged.rule}){nobody}"
        return Rejected(message, kind=ErrorKind.APPROVAL_NEEDED, details=details)

    def _knows(self, url: str | None, *, whole: bool) -> bool:
        """Whether the session knew the URL. What nothing from outside had a say in names its own. `whole`:
        also the parts that aren't sent on the web, or mean the same in other letters."""
        call = self._call
        if not call.outside.may_steer and call.spent.usage is None:
            return True
        if url is None or (whole and _plain(url) != url):
            return False
        return _plain(url) in {_plain(one) for one in call.urls}


def _named(asked: PolicyRequest) -> str:
    """Its host, with what isn't as usual of how it is reached."""
    origin = asked.origin
    if origin is None or (origin.is_usual and origin.scheme == "https"):
        return asked.host or ""
    return f"{origin.scheme}://{origin.host if origin.is_usual else origin.place}"


def _plain(url: str) -> str:
    """The URL as it is sent; one that can't be sent as it is."""
    try:
        return target_of(url).url
    except Rejected:
        return url
