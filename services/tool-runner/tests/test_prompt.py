"""What a new agent is told is so: its prompt, and the skill about building."""

import re

import pytest

from agent_contracts.entities.agent_texts import DEFAULT_PROMPT, SMALL_PROMPT
from agent_contracts.errors import ErrorKind
from agent_contracts.tool_spec import CALL_TOOL, FIND_TOOLS, RESERVED
from agent_domain.starters import STARTERS
from agent_tools.tool import Tool
from session_domain.domain.rules.tokens import tokens_in
from session_domain.domain.shown.modes import for_small_model, is_shown
from session_domain.domain.shown.on_demand import SMALL_TOOLS, sent
from session_domain.domain.shown.profile import Profile
from session_domain.domain.shown.prompt import system_parts
from session_domain.model_requests.definitions import definition_of, encoded_definition
from tool_runner.code.file_methods import tool_behind
from tool_runner.code.foreign import TAKES as FOREIGN
from tool_runner.code.host import PARTS
from tool_runner.core import discover

BUILDING = next(str(one.value["content"]) for one in STARTERS if one.name == "building")
TOOLS = {tool.spec.name: tool for tool in discover(selftest=False, installed=())}
IN_CODE = {*PARTS, *FOREIGN, "functions.call", "files.readBytes", "files.writeBytes", "files.appendBytes"}


class _Found:
    def find(self, name: str) -> Tool | None:
        return TOOLS.get(name)


texts = pytest.mark.parametrize(
    "text", [DEFAULT_PROMPT, SMALL_PROMPT, BUILDING], ids=["prompt", "small", "building"]
)


@texts
def test_every_tool_that_is_named_is_there(text: str) -> None:
    named = set(re.findall(r"`([a-z]+(?:_[a-z]+)+)`", text)) - {
        "log_expense",
        ErrorKind.OUTCOME_UNKNOWN,
        *RESERVED,
    }
    assert named
    assert named <= TOOLS.keys()


@texts
def test_everything_that_code_is_said_to_reach_is_wired(text: str) -> None:
    parts = {name.rpartition(".")[0] for name in IN_CODE} | {"files", "web", "browser", "mcp", "image", "pdf"}
    named = set(re.findall(rf"\b((?:{'|'.join(map(re.escape, sorted(parts, reverse=True)))})\.\w+)", text))
    named = {name for name in named if not name.startswith("browser.")}  # another runner's tools
    assert "db.sql" in named or text == SMALL_PROMPT
    assert {
        name
        for name in named
        if not tool_behind(name, _Found())  # type: ignore[arg-type]
    } <= IN_CODE


def test_a_small_model_is_told_and_given_little() -> None:
    bare = Profile(DEFAULT_PROMPT, "", tuple(tool.spec for tool in TOOLS.values()), "UTC")
    small = for_small_model(bare)
    given = sent(small)
    parts = [
        one.text for one in system_parts(small, sub_session=False) if is_shown(one.name, None, small=True)
    ]
    tokens = sum(map(tokens_in, parts)) + sum(
        tokens_in(encoded_definition(definition_of(one)).data) for one in given
    )
    assert [one.name for one in given] == [*SMALL_TOOLS, FIND_TOOLS, CALL_TOOL]
    assert tokens <= 1_200


def test_the_prompt_is_short() -> None:
    assert len(DEFAULT_PROMPT) < 4_000, "some 900 tokens: every request of every session carries it"
