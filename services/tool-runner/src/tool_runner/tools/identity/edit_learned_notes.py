"""`edit_learned_notes`: the agent writes down what it learned."""

from agent_contracts.entities.agent_texts import LEARNED_NOTES
from agent_tools.ports.agent import AgentTexts
from agent_tools.tool import RECORDED, Result, tool
from tool_runner.agent.edit_arguments import EditText


class EditLearnedNotes(EditText):
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
