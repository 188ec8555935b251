"""Files as people see them."""

from agent_contracts.api.files import StoredFile
from agent_contracts.files import FileScope
from agent_domain.files.file import File
from gateway.queries.sources import sources


def shown(agent_id: str, file: File) -> StoredFile:
    """A file as people see it."""
    return StoredFile(
        file_id=file.file_id,
        path=file.path,
        media_type=file.media_type,
        size=file.size,
        version=file.version,
        agent_id=agent_id,
        scope="agent" if file.scope is FileScope.AGENT else "session",
        session_id=file.session_id,
        sha256=file.blob,
        source=file.source,
        updated_at=file.updated_at,
        made_from=file.made_from,
        outside=sources(file.outside),
    )
