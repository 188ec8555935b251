"""Logins of programs: nobody goes anywhere, a client that a person registered shows its secret, and gets a
token at once (RFC 6749, section 4.4)."""

import httpx2
import msgspec
from mcp.shared.auth import OAuthClientInformationFull, OAuthToken

from egress.placeholders import KnownSecret
from mcp_host.connecting.secret_filler import require_allowed
from mcp_host.login.flow import Flow, asked, way_to_show
from mcp_host.login.records import McpLogin

_NOWHERE = "http://127.0.0.1/"
"""Where nobody comes back to."""


class TokenIssued(Exception):
    """The issuer gave a `token` for this `login`."""

    def __init__(self, login: McpLogin, token: OAuthToken) -> None:
        super().__init__("a program is logged in")
        self.login = login
        self.token = token


class MachineFlow(Flow):
    """Puts itself before one request, and raises `TokenIssued` where that needs a login."""

    def __init__(self, url: str, client: OAuthClientInformationFull, secret: KnownSecret) -> None:
        super().__init__(url, _NOWHERE, by_hand=client)
        self.context.client_metadata.grant_types = ["client_credentials"]
        self._secret = secret

    def login(self) -> McpLogin:
        """See `Flow`."""
        return msgspec.structs.replace(super().login(), by_program=True)

    async def _perform_authorization(self) -> httpx2.Request:
        """See the SDK. `Rejected` where the person didn't say that the secret may go there."""
        client = self.context.client_info
        assert client is not None
        client.token_endpoint_auth_method = way_to_show(client, self.context.oauth_metadata)
        login = self.login()
        require_allowed(self._secret, login.token_endpoint)
        return showing(login)

    async def _handle_token_response(self, response: httpx2.Response) -> None:
        """See the SDK."""
        await super()._handle_token_response(response)
        assert self.context.current_tokens is not None
        raise TokenIssued(self.login(), self.context.current_tokens)


def showing(login: McpLogin) -> httpx2.Request:
    """The request for a token by which a program shows who it is."""
    data = {"grant_type": "client_credentials", "resource": login.resource}
    if login.scope:
        data["scope"] = login.scope
    return asked(login, login.token_endpoint, data)
