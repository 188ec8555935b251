"""Pictures from elsewhere, which a page may not load by itself."""

from typing import Annotated

from fastapi import Query

from agent_contracts.api.files import LONGEST_URL, FoundPicture, LoadPicture, StoredFile
from gateway.http.wire.parameters import SessionPath, Using
from gateway.http.wire.resource import resource

router = resource("files")


@router.get("/sessions/{session_id}/pictures", operation_id="findPicture")
async def find(
    operations: Using,
    session_id: SessionPath,
    url: Annotated[str, Query(max_length=LONGEST_URL, description="Address of the picture.")],
) -> FoundPicture:
    """The picture of this address, if somebody loaded it before. Nothing is fetched."""
    return await operations.pictures.find(session_id, url)


@router.post("/sessions/{session_id}/pictures", status_code=201, operation_id="loadPicture")
async def load(operations: Using, session_id: SessionPath, body: LoadPicture) -> StoredFile:
    """Fetch a picture through the agent's way out, and keep it as a file of the session: that it was fetched
    is an event. One that was loaded before is not fetched again."""
    return await operations.pictures.load(session_id, body.url)
