"""What very many foreign tools cost in each request, in tokens."""

import random
from types import ModuleType

import pytest

from agent_contracts.tool_spec import Effect, RunsOn, ToolSpec
from model_caller.providers.loading import litellm_module
from session_domain.domain.shown.on_demand import foreign
from session_domain.domain.shown.profile import Profile

_MODEL = "gpt-4o"
_VERBS = ("create", "list", "delete", "update", "merge", "search", "fetch", "archive", "assign", "review")
_NOUNS = ("issue", "pull_request", "repository", "workflow", "branch", "deployment", "secret", "runner")


@pytest.fixture
def litellm(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    """The provider switches litellm's own counting off, for the whole process."""
    module = litellm_module()
    monkeypatch.setattr(module, "disable_token_counter", False)
    return module


def test_400_tools_of_one_server_let_the_prompt_grow_by_less_than_2000_tokens(litellm: ModuleType) -> None:
    chosen = random.Random(4)
    names = {
        f"{chosen.choice(_VERBS)}_{chosen.choice(_NOUNS)}_{chosen.choice(_NOUNS)}_{one}" for one in range(400)
    }
    told = "It does exactly what its name says, and a lot besides. " * 20
    tools = tuple(
        ToolSpec(f"github__{name}", told, {}, "mcp:github", Effect.EXTERNAL, RunsOn.MCP)
        for name in sorted(names)
    )
    assert len(tools) == 400
    said = foreign(Profile("", "", tools, "UTC", servers=("github",)))
    tokens = litellm.token_counter(model=_MODEL, text=said)
    assert 100 < tokens < 2_000, tokens


def test_nor_do_the_most_servers_of_one_agent(litellm: ModuleType) -> None:
    tools = tuple(
        ToolSpec(f"s{server}__tool_number_{one}", "x", {}, f"mcp:s{server}", Effect.EXTERNAL, RunsOn.MCP)
        for server in range(20)
        for one in range(400)
    )
    said = foreign(Profile("", "", tools, "UTC", servers=tuple(f"s{one}" for one in range(20))))
    assert 100 < litellm.token_counter(model=_MODEL, text=said) < 2_000
