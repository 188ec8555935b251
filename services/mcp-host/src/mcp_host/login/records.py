"""What is kept of a login, in the vault and nowhere else."""

import re

import msgspec
from mcp.shared.auth import OAuthClientInformationFull, OAuthToken

from agent_contracts.errors import ErrorKind, Rejected
from agent_contracts.ids import AgentId

LONGEST_TOKEN = 16_384
"""Characters."""
LONGEST_LIFE_S = 365 * 24 * 3600
_TOKEN = re.compile(rf"[\x21-\x7e]{{1,{LONGEST_TOKEN}}}")


class McpLogin(msgspec.Struct, frozen=True, omit_defaults=True):
    """A person's login at `issuer` for the server at `url`: of another address, or where another issuer is
    named, it counts nothing. `client` is who we are there, as JSON. `expires_at` is in seconds since 1970; 0:
    nobody said when. Without an `access_token` the person has to log in again; `wants` is what scope the
    server asked for besides. `by_program`: no person did, and the client's secret gets the next token."""

    url: str
    issuer: str
    resource: str
    token_endpoint: str
    client: str
    revocation_endpoint: str = ""
    access_token: str = ""
    refresh_token: str = ""
    scope: str = ""
    expires_at: float = 0.0
    wants: str = ""
    by_program: bool = False

    @property
    def registered(self) -> OAuthClientInformationFull:
        """Who we are at the issuer."""
        return OAuthClientInformationFull.model_validate_json(self.client)

    def with_tokens(self, token: OAuthToken, now: float) -> "McpLogin":
        """With what the issuer gave; what it left out stays. `Rejected` for what can't be a token."""
        for value in filter(None, (token.access_token, token.refresh_token)):
            if not _TOKEN.fullmatch(value):
                raise Rejected("the authorization server gave what is no token", kind=ErrorKind.UPSTREAM)
        life = token.expires_in
        return msgspec.structs.replace(
            self,
            access_token=token.access_token,
            refresh_token=token.refresh_token or self.refresh_token,
            scope=token.scope or self.scope,
            expires_at=0.0 if life is None else now + min(max(life, 0), LONGEST_LIFE_S),
            wants="",
        )

    def without_tokens(self) -> "McpLogin":
        """The same, of which the tokens are worth nothing any more."""
        return msgspec.structs.replace(self, access_token="", refresh_token="", expires_at=0.0)


class PendingLogin(msgspec.Struct, frozen=True):
    """A login that waits for its person until `ends_at`. `verifier` proves that who finishes it began it;
    `metadata` is what the issuer says of itself, as JSON; empty: nothing."""

    agent_id: AgentId
    server: str
    redirect_uri: str
    verifier: str
    metadata: str
    login: McpLogin
    ends_at: float
