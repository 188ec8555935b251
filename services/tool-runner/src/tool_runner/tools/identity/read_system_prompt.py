"""`read_system_prompt`: what the agent is told before anything else, as it stands now."""

from agent_contracts.entities.agent_texts import SYSTEM_PROMPT
from agent_tools.ports.agent import AgentTexts
from agent_tools.tool import PURE, Arguments, Result, tool


class ReadSystemPrompt(Arguments):
    """Nothing to say."""


class Prompt(Result):
    """The prompt and its version; version 0: nobody has changed the built-in one."""

    prompt: str
    version: int


@tool("read_system_prompt", family="identity", effect=PURE)
async def read_system_prompt(args: ReadSystemPrompt, texts: AgentTexts) -> Prompt:
    """Read your system prompt as it is stored now, with its version.

    Read it before you make a surgical edit: another session may have changed it since this turn began.
    """
    found = await texts.read(SYSTEM_PROMPT)
    return Prompt(prompt=found.text, version=found.version)
