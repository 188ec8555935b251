"""`read_learned_notes`: what the agent has written down, as it stands now."""

from agent_contracts.entities.agent_texts import LEARNED_NOTES
from agent_tools.ports.agent import AgentTexts
from agent_tools.tool import PURE, Arguments, Result, tool


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
