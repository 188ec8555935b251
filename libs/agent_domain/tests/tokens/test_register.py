"""Tokens of programs: a name is given once, and what is revoked counts at once."""

import pytest

from agent_contracts.api.program_tokens import ProgramRight
from agent_contracts.errors import Rejected
from agent_contracts.ids import AgentId
from agent_domain.tokens.programs import PROGRAM_TOKEN, ProgramToken, ProgramTokenRegister
from agent_domain.tokens.register import hash_of, name_in, token_of
from agent_platform.log.bucket import Bucket
from foldline_testing.agent_platform.memory_log import MemoryLog

TOKEN, OTHER = (token_of(PROGRAM_TOKEN, "editor", secret) for secret in ("abc", "abd"))


def kept(token: str, agent: str = "a1") -> ProgramToken:
    return ProgramToken("2026-01-01T00:00:00Z", hash_of(token), AgentId(agent), (ProgramRight.READ,))


async def test_a_name_that_is_taken_keeps_its_token() -> None:
    register = ProgramTokenRegister(Bucket(MemoryLog(), "mcp"))
    await register.add("editor", kept(TOKEN))
    with pytest.raises(Rejected) as refused:
        await register.add("editor", kept(OTHER, "a2"))
    assert refused.value.kind == "conflict"
    assert await register.of_token(TOKEN) == ("editor", kept(TOKEN))
    assert await register.of_token(OTHER) is None


async def test_what_was_revoked_lets_nobody_in_and_its_name_is_free() -> None:
    register = ProgramTokenRegister(Bucket(MemoryLog(), "mcp"))
    await register.add("editor", kept(TOKEN))
    await register.revoke("editor")
    assert await register.of_token(TOKEN) is None
    with pytest.raises(Rejected) as refused:
        await register.revoke("editor")
    assert refused.value.kind == "not_found"
    await register.add("editor", kept(OTHER))
    assert (await register.of_token(TOKEN), list(await register.all())) == (None, ["editor"])


@pytest.mark.parametrize(
    "token", ["", "editor", "wk_editor_abc", "pt_editor_", "pt__abc", "pt_nobody_abc", "pt_../x_a"]
)
async def test_what_is_no_token_of_anybody_lets_nobody_in(token: str) -> None:
    register = ProgramTokenRegister(Bucket(MemoryLog(), "mcp"))
    await register.add("editor", kept(TOKEN))
    assert await register.of_token(token) is None
    assert name_in(PROGRAM_TOKEN, TOKEN) == "editor"
