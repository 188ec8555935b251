"""A file, of a session or of all of the agent's; its bytes are kept beside the log."""

from agent_contracts.entities.entity import EntityKind
from agent_contracts.event_sources import AGENT, BROWSER_POOL, MCP_HOST, MODEL_CALLER, WORKSPACE_HOST, Writers
from agent_contracts.files import FileValue
from agent_contracts.kinds.kind import COPIED, ThingKind

FILE_WRITERS: Writers = {
    **COPIED,
    BROWSER_POOL: AGENT,
    WORKSPACE_HOST: AGENT,
    MCP_HOST: AGENT,
    MODEL_CALLER: AGENT,
}
"""A browser's downloads and screenshots; what commands made; what foreign servers send; what is too long to
be shown whole."""

FILE: ThingKind[FileValue] = ThingKind(
    kind=EntityKind.FILE,
    noun="file",
    nouns="files",
    shape=FileValue,
    named="id",
    label="path",
    writers=FILE_WRITERS,
    session_in="session_id",
    with_session=False,
    counted_as="files",
)
