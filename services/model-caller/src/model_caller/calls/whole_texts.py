"""Keeps the whole of what a model is shown cut, as files that it can read."""

import structlog

from agent_contracts.blob_ref import BlobRef
from agent_contracts.errors import Rejected
from agent_contracts.event_sources import Actor
from agent_contracts.log.record.codec import RecordedEvent
from agent_contracts.session_events.decisions import ModelCallRequested
from agent_contracts.session_events.results import CutText
from agent_domain.files.file import FileContent
from agent_domain.files.files import Files, NewFile
from agent_domain.files.workspaces import Workspaces
from agent_platform.entities.entity import EntityWriter
from agent_platform.log.blobs.port import Blobs
from session_domain.domain.rules.cutting import PlannedCut
from session_domain.domain.state import SessionState

log = structlog.get_logger()


class WholeTexts:
    """Keeps whole texts."""

    def __init__(self, files: Files, workspaces: Workspaces, blobs: Blobs) -> None:
        self._files = files
        self._workspaces = workspaces
        self._blobs = blobs

    async def keep(
        self, session: SessionState, asked: RecordedEvent[ModelCallRequested], cuts: list[PlannedCut]
    ) -> tuple[CutText, ...]:
        """The cuts, each with the file that holds the whole. A repeat for the same request makes no other.

        Where the agent may keep no more files, the whole is kept for people alone.
        """
        return tuple([await self._kept(session, asked, number, cut) for number, cut in enumerate(cuts)])

    async def _kept(
        self, session: SessionState, asked: RecordedEvent[ModelCallRequested], number: int, cut: PlannedCut
    ) -> CutText:
        long = cut.long
        if long.excerpt is not None:
            blob, file_id = long.excerpt.blob, long.excerpt.file_id
        else:
            blob, file_id = await self._made(session, asked, number, cut)
        return CutText(long.sequence, cut.head, cut.tail, blob, long.call_id, file_id)

    async def _made(
        self, session: SessionState, asked: RecordedEvent[ModelCallRequested], number: int, cut: PlannedCut
    ) -> tuple[BlobRef, str | None]:
        data = cut.long.text.encode()
        media_type = "text/plain" if cut.long.call_id is None else "application/json"
        workspace = await self._workspaces.of(session.key)
        write_id = f"{session.session_id}:{asked.event.call_id}:cut:{number}"
        writer = EntityWriter(
            write_id, Actor.AGENT, session.session_id, asked.event.call_id, since=asked.sequence
        )
        new = NewFile(cut.long.path, FileContent(data, media_type=media_type))
        try:
            file = await self._files.create(workspace, new, writer.having(cut.long.outside))
        except Rejected as refused:
            log.warning("model.cut_without_file", path=cut.long.path, why=refused.message)
            return await self._blobs.put(data, media_type, owner=session.agent_id), None
        return BlobRef(file.blob, file.size, file.media_type), file.file_id
