"""The files of an agent: list, read, write, versions, revert, rename, promote, delete."""

from typing import Annotated, Literal

from fastapi import APIRouter, Query

from agent_contracts.api.files import FilePage, RenameFile, StoredFile
from agent_contracts.api.versions import DeleteResult, Revert, Version, VersionTarget
from agent_contracts.api.wire import MAX_SEQUENCE, Page
from agent_contracts.files import LONGEST_PATH, FileScope
from gateway.http.wire.file_parameters import FilePath
from gateway.http.wire.idempotency import KeyHeader, asked
from gateway.http.wire.parameters import (
    LIMIT,
    AgentPath,
    AsOf,
    Cursor,
    NumberCursor,
    SessionFilter,
    Using,
    VersionPath,
)
from gateway.http.wire.resource import resource
from gateway.operations.files.files import FileOfAgent, FileQuery

router: APIRouter = resource("files", "/agents/{agent_id}/files")


@router.get("", operation_id="listFiles")
async def list_files(
    operations: Using,
    agent_id: AgentPath,
    session_id: SessionFilter,
    scope: Annotated[
        Literal["session", "agent"] | None,
        Query(description="Only files of sessions, or only files that every session of the agent sees."),
    ] = None,
    prefix: Annotated[
        str, Query(max_length=LONGEST_PATH, description="Only paths that begin with this.")
    ] = "",
    cursor: Cursor = None,
    limit: Annotated[int, Query(ge=1, le=1000, description=LIMIT)] = 100,
    at: AsOf = None,
) -> FilePage:
    """Files by path, now or after event `at`. With `session_id` those that this session sees: its
    workspace's and the agent's; without one all, of every session."""
    asking = FileQuery(FileScope(scope) if scope else None, session_id, prefix, cursor, limit, at)
    return await operations.files.list(agent_id, asking)


@router.get("/{file_id}", operation_id="getFile")
async def get_file(operations: Using, agent_id: AgentPath, file_id: FilePath, at: AsOf = None) -> StoredFile:
    """A file without its bytes, now or as it was after event `at`."""
    return await operations.files.read(FileOfAgent(agent_id, file_id), at)


@router.get("/{file_id}/versions", operation_id="listFileVersions")
async def list_versions(
    operations: Using,
    agent_id: AgentPath,
    file_id: FilePath,
    cursor: NumberCursor,
    limit: Annotated[int, Query(ge=1, le=200, description=LIMIT)] = 50,
) -> Page[Version]:
    """Who changed it and when, newest first, deletions included."""
    return await operations.files.versions(FileOfAgent(agent_id, file_id), cursor, limit)


@router.get("/{file_id}/versions/{version}", operation_id="getFileVersion")
async def get_version(
    operations: Using, agent_id: AgentPath, file_id: FilePath, version: VersionPath
) -> StoredFile:
    """The file at one version; after a deletion the newest one of this number."""
    return await operations.files.version(FileOfAgent(agent_id, file_id), VersionTarget(version=version))


@router.post("/{file_id}:revert", operation_id="revertFile")
async def revert(
    operations: Using, agent_id: AgentPath, file_id: FilePath, body: Revert, key: KeyHeader = None
) -> StoredFile:
    """Make an earlier version's bytes the newest version. The path stays. A deleted file is there again."""
    return await operations.files.revert(FileOfAgent(agent_id, file_id), body.target, asked(key, body))


@router.patch("/{file_id}", operation_id="renameFile")
async def rename(
    operations: Using, agent_id: AgentPath, file_id: FilePath, body: RenameFile, key: KeyHeader = None
) -> StoredFile:
    """Give it another path, which must be free; a new version."""
    which = FileOfAgent(agent_id, file_id)
    return await operations.files.rename(which, body.path, body.version, asked(key, body))


@router.post("/{file_id}:promote", operation_id="promoteFile")
async def promote(
    operations: Using, agent_id: AgentPath, file_id: FilePath, key: KeyHeader = None
) -> StoredFile:
    """Make a session's file one of the agent's, for all its sessions; a new version."""
    return await operations.files.promote(FileOfAgent(agent_id, file_id), asked(key))


@router.delete("/{file_id}", operation_id="deleteFile")
async def delete(
    operations: Using,
    agent_id: AgentPath,
    file_id: FilePath,
    version: Annotated[int | None, Query(ge=1, le=MAX_SEQUENCE, description="Only this version.")] = None,
    key: KeyHeader = None,
) -> DeleteResult:
    """Delete it; its versions stay readable."""
    return await operations.files.delete(FileOfAgent(agent_id, file_id), version, asked(key))
