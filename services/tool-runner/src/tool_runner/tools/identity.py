"""prompt, notes"""

from agent_contracts.entities.agent_texts import LEARNED_NOTES, SYSTEM_PROMPT
from agent_contracts.tool_spec import LastingEffect
from agent_tools.ports.agent import AgentTexts
from agent_tools.tool import PURE, RECORDED, Arguments, Result, tool
from tool_runner.agent.edit_arguments import TextEditArguments


class EditLearnedNotes(TextEditArguments):
    """Which edit."""


class EditedNotes(Result):
    """The version that the notes have now; an edit that changed nothing leaves it."""

    version: int


@tool("edit_learned_notes", family="identity", effect=RECORDED)
async def edit_learned_notes(args: EditLearnedNotes, texts: AgentTexts) -> EditedNotes:
    """Write down what you learned and want to know in every session: the user's preferences, how things are.

    The notes are part of your system prompt, so keep them short; append is the usual operation. Every version
    is kept, and the user can go back to any.
    """
    return EditedNotes(version=await texts.edit(LEARNED_NOTES, args.edit))


class EditSystemPrompt(TextEditArguments):
    """Which edit."""


class EditedPrompt(Result):
    """The version that the prompt has now; an edit that changed nothing leaves it."""

    version: int


@tool("edit_system_prompt", family="identity", effect=RECORDED, lasting=LastingEffect.CALL)
async def edit_system_prompt(args: EditSystemPrompt, texts: AgentTexts) -> EditedPrompt:
    """Change your own system prompt: how you behave, in this and in all other sessions.

    It counts from your next step on. Every version is kept, and the user can go back to any. Facts that you
    learn belong into the learned notes instead.
    """
    return EditedPrompt(version=await texts.edit(SYSTEM_PROMPT, args.edit))


class ReadLearnedNotes(Arguments):
    """Nothing to say."""


class Notes(Result):
    """The notes and their version; version 0: there are none yet."""

    notes: str
    version: int


@tool("read_learned_notes", family="identity", effect=PURE)
async def read_learned_notes(args: ReadLearnedNotes, texts: AgentTexts) -> Notes:
    """Read your learned notes as they are stored now, with their version.

    They are part of your system prompt too; this shows also what another session has changed meanwhile.
    """
    found = await texts.read(LEARNED_NOTES)
    return Notes(notes=found.text, version=found.version)


class ReadSystemPrompt(Arguments):
    """Nothing to say."""


class PromptResult(Result):
    """The prompt and its version; version 0: nobody has changed the built-in one."""

    prompt: str
    version: int


@tool("read_system_prompt", family="identity", effect=PURE)
async def read_system_prompt(args: ReadSystemPrompt, texts: AgentTexts) -> PromptResult:
    """Read your system prompt as it is stored now, with its version.

    Read it before you make a surgical edit: another session may have changed it since this turn began.
    """
    found = await texts.read(SYSTEM_PROMPT)
    return PromptResult(prompt=found.text, version=found.version)
