"""Logins of people at foreign servers, as the gateway asks hosts for them. No token is in one of these."""

import msgspec

from agent_contracts.ids import AgentId

MCP_LOGIN = "mcp.login"
"""Asked with a `BeginLogin`, `FinishLogin` or `EndLogin`; answered by a `LoginStep`."""
BEGUN_S = 600.0
"""Seconds that a person has to log in, once they began."""
LONGEST_PARAMETER = 8_192
"""Characters of what an authorization server sends back with a person."""


OF_SERVERS = "mcp-login"
"""Below this name the vault has an agent's logins: no secret can be called so."""


def login_name(server: str) -> str:
    """What the login for this server is called in the vault."""
    return f"{OF_SERVERS}.{server}"


class _LoginQuestion(msgspec.Struct, frozen=True, tag_field="do"):
    """What a person wants."""


class BeginLogin(_LoginQuestion, frozen=True, tag="begin"):
    """Find out where the person logs in. They come back to `redirect_uri`; `client_url` is where
    authorization servers can read who we are, if they can."""

    agent_id: AgentId
    server: str
    redirect_uri: str
    client_url: str = ""


class FinishLogin(_LoginQuestion, frozen=True, tag="finish"):
    """The person came back with this: a `code`, or an `error`. `issuer` is who sent them, where that says."""

    state: str
    code: str = ""
    error: str = ""
    issuer: str | None = None


class EndLogin(_LoginQuestion, frozen=True, tag="end"):
    """Forget the login, and have its tokens revoked."""

    agent_id: AgentId
    server: str


LoginQuestion = BeginLogin | FinishLogin | EndLogin


class LoginStep(msgspec.Struct, frozen=True, omit_defaults=True):
    """How far a login is. `url` is where the person goes, whole, `issuer` whom they log in at. `problem` says
    why it can't be, in words, and `kind` for programs."""

    agent_id: str = ""
    server: str = ""
    url: str = ""
    issuer: str = ""
    problem: str = ""
    kind: str = ""
