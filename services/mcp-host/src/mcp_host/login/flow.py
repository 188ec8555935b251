"""The SDK's authorization flow, cut in two where a person goes to log in: whoever finishes it may be another
process than began it.

The parts of it that are taken over here are private to the SDK, whose version is pinned.
"""

import logging
import secrets
from collections.abc import AsyncGenerator
from urllib.parse import urlencode

import httpx2
from mcp.client.auth import OAuthClientProvider, OAuthFlowError
from mcp.client.auth.oauth2 import PKCEParameters
from mcp.client.auth.utils import union_scopes, validate_authorization_response_iss
from mcp.shared.auth import (
    OAuthClientInformationFull,
    OAuthClientMetadata,
    OAuthMetadata,
    OAuthToken,
    ProtectedResourceMetadata,
)
from pydantic import AnyUrl

from mcp_host.login.careful_transport import is_safe
from mcp_host.login.records import McpLogin, PendingLogin

CLIENT_NAME = "Foldline"
_LOOPBACK = ("127.0.0.1", "localhost", "[::1]", "::1")

logging.getLogger("mcp.client.auth").setLevel(logging.CRITICAL + 1)
"""The SDK logs answers of authorization servers, which may hold tokens. What fails is raised as well."""


class AtThePerson(Exception):
    """All is known: the person goes to `url`, and comes back with `state`."""

    def __init__(self, url: str, state: str, verifier: str) -> None:
        super().__init__("a person has to log in")
        self.url = url
        self.state = state
        self.verifier = verifier


class Flow(OAuthClientProvider):
    """Puts itself before one request, and raises `AtThePerson` where that needs a login."""

    def __init__(
        self,
        url: str,
        redirect_uri: str,
        client_url: str = "",
        known: McpLogin | None = None,
        by_hand: OAuthClientInformationFull | None = None,
    ) -> None:
        """`known` is a login of before: who we are at its issuer, and what scope it had and lacked. `by_hand`
        is who a person registered there."""
        self._by_hand = by_hand
        self._kept = _FlowStorage(known, redirect_uri, by_hand)
        self._wanted = union_scopes(known.scope, known.wants) if known is not None and known.wants else None
        host = AnyUrl(redirect_uri).host
        metadata = OAuthClientMetadata(
            redirect_uris=[AnyUrl(redirect_uri)],
            client_name=CLIENT_NAME,
            application_type="native" if host in _LOOPBACK else "web",
        )
        super().__init__(url, metadata, self._kept, client_metadata_url=client_url or None)

    @classmethod
    def resumed(cls, begun: PendingLogin) -> "Flow":
        """As it stood when the person went."""
        flow = cls(begun.login.url, begun.redirect_uri)
        flow.context.client_info = begun.login.registered
        if begun.metadata:
            flow.context.oauth_metadata = OAuthMetadata.model_validate_json(begun.metadata)
        resource = {"resource": begun.login.resource, "authorization_servers": [begun.login.issuer]}
        flow.context.protected_resource_metadata = ProtectedResourceMetadata.model_validate(resource)
        return flow

    def login(self) -> McpLogin:
        """What is known now. Without tokens."""
        context, metadata = self.context, self.context.oauth_metadata
        assert context.client_info is not None
        revocation = metadata.revocation_endpoint if metadata is not None else None
        return McpLogin(
            url=context.server_url,
            issuer=str(metadata.issuer) if metadata is not None else self._expected_issuer(),
            resource=context.get_resource_url(),
            token_endpoint=self._get_token_endpoint(),
            client=context.client_info.model_dump_json(exclude_none=True),
            revocation_endpoint=str(revocation) if revocation is not None else "",
            scope=context.client_metadata.scope or "",
        )

    def metadata(self) -> str:
        """What the issuer says of itself, as JSON; empty where it says nothing."""
        found = self.context.oauth_metadata
        return found.model_dump_json(exclude_none=True) if found is not None else ""

    async def exchange(self, code: str, verifier: str) -> httpx2.Request:
        """The request that makes tokens of a code."""
        return await self._exchange_token_authorization_code(code, verifier)

    def check_issuer(self, issuer: str | None) -> None:
        """`OAuthFlowError` where another authorization server sent the person back than they went to, or one
        that says who it is did not."""
        validate_authorization_response_iss(issuer, self.context.oauth_metadata)

    async def _auth_flow(self, request: httpx2.Request) -> AsyncGenerator[httpx2.Request, httpx2.Response]:
        """The SDK's. Where the server names who vouches for people, nobody else is taken instead, as before
        2025-06-18, if that one can't be read."""
        flow = super()._auth_flow(request)
        try:
            outgoing = await anext(flow)
            while True:
                named, registers = self.context.auth_server_url, outgoing.method == "POST"
                unknown = self.context.oauth_metadata is None
                if outgoing is not request and registers and named and unknown:
                    raise OAuthFlowError(f"{named[:200]} says nothing of itself that can be used")
                outgoing = await flow.asend((yield outgoing))
        except StopAsyncIteration:
            return
        finally:
            await flow.aclose()

    async def _perform_authorization_code_grant(self) -> tuple[str, str]:
        """Where the SDK waits for the person, this ends."""
        context, metadata = self.context, self.context.oauth_metadata
        if metadata is not None:
            if "S256" not in (metadata.code_challenge_methods_supported or ()):
                raise OAuthFlowError(
                    "the authorization server doesn't prove who finishes a login (PKCE, S256)"
                )
            endpoint = str(metadata.authorization_endpoint)
        else:
            endpoint = f"{context.get_authorization_base_url(context.server_url)}/authorize"
        if not is_safe(endpoint, context.server_url):
            raise OAuthFlowError(f"the page to log in at must begin with https://, and is {endpoint[:200]}")
        assert context.client_info is not None
        if self._by_hand is not None:
            context.client_info.token_endpoint_auth_method = way_to_show(self._by_hand, metadata)
        context.client_metadata.scope = union_scopes(self._wanted, context.client_metadata.scope)
        proof, state = PKCEParameters.generate(), secrets.token_urlsafe(32)
        asked = {
            "response_type": "code",
            "client_id": context.client_info.client_id,
            "redirect_uri": str(self._kept.redirect_uri),
            "state": state,
            "code_challenge": proof.code_challenge,
            "code_challenge_method": "S256",
            "resource": context.get_resource_url(),
        }
        if context.client_metadata.scope:
            asked["scope"] = context.client_metadata.scope
            if "offline_access" in context.client_metadata.scope.split():
                asked["prompt"] = "consent"  # OpenID Connect asks for it
        between = "&" if "?" in endpoint else "?"
        raise AtThePerson(f"{endpoint}{between}{urlencode(asked)}", state, proof.code_verifier)


def refreshing(login: McpLogin) -> httpx2.Request:
    """The request that makes new tokens of what is left of the old."""
    data = {
        "grant_type": "refresh_token",
        "refresh_token": login.refresh_token,
        "client_id": login.registered.client_id,
        "resource": login.resource,
    }
    return asked(login, login.token_endpoint, data)


def revoking(login: McpLogin) -> httpx2.Request:
    """The request that makes the tokens worth nothing (RFC 7009)."""
    data = {"token": login.refresh_token or login.access_token, "client_id": login.registered.client_id}
    return asked(login, login.revocation_endpoint, data)


def asked(login: McpLogin, endpoint: str, data: dict[str, str]) -> httpx2.Request:
    """A request of the issuer that shows who we are there."""
    flow = Flow(login.url, "http://127.0.0.1/")
    flow.context.client_info = login.registered
    headers = {"Content-Type": "application/x-www-form-urlencoded"}
    data, headers = flow.context.prepare_token_auth(data, headers)
    return httpx2.Request("POST", endpoint, data=data, headers=headers)


def way_to_show(client: OAuthClientInformationFull, metadata: OAuthMetadata | None) -> str:
    """How the secret of a client that a person registered is shown: in the header, unless the issuer takes it
    in the body alone."""
    if not client.client_secret:
        return "none"
    taken = (metadata.token_endpoint_auth_methods_supported if metadata is not None else None) or ()
    in_the_body = "client_secret_post" in taken and "client_secret_basic" not in taken
    return "client_secret_post" if in_the_body else "client_secret_basic"


class _FlowStorage:
    """The SDK's storage of a flow that keeps nothing itself: the client of before, and no tokens, which a
    person who logs in has no use for."""

    def __init__(
        self, known: McpLogin | None, redirect_uri: str, by_hand: OAuthClientInformationFull | None
    ) -> None:
        self.redirect_uri = AnyUrl(redirect_uri)
        self._known = known
        self._by_hand = by_hand

    async def get_tokens(self) -> OAuthToken | None:
        """See the SDK."""
        return None

    async def set_tokens(self, tokens: OAuthToken) -> None:
        """See the SDK: who finishes the flow keeps them."""

    async def get_client_info(self) -> OAuthClientInformationFull | None:
        """See the SDK, which drops one that it registered where the issuer is another now."""
        if self._by_hand is not None or self._known is None:
            return self._by_hand
        client = self._known.registered
        fits = client.issuer is not None and self.redirect_uri in (client.redirect_uris or ())
        return client if fits else None

    async def set_client_info(self, client_info: OAuthClientInformationFull) -> None:
        """See the SDK: `Flow.login` has it."""
