"""The agent's files as resources, listed in pages and read whole, also as they were once; and those of its
tools that are exposed as such."""

import base64
import re
from urllib.parse import quote

import mcp_types as types

from agent_contracts.api.files import StoredFile
from agent_contracts.api.program_tokens import ProgramRight
from agent_contracts.errors import Rejected
from agent_domain.files.file import File
from egress.charset import is_text
from gateway.mcp.client import McpClient
from gateway.mcp.own import OwnOffers
from gateway.mcp.refusals import Context, refusing
from gateway.operations.agents.exposed_tools import OWN_ADDRESSES
from gateway.operations.files.files import FileQuery
from gateway.operations.operations import Operations

LARGEST = 2 * 1024 * 1024
"""Bytes of a file: it can't come in pieces."""
PAGE = 100
_FILES = "foldline://files/"
_ADDRESS = re.compile(rf"{_FILES}([^/?]+)(?:\?version=([1-9][0-9]{{0,9}}))?")
FILE_ADDRESS = f"{_FILES}{{file_id}}{{?version}}"
_TEMPLATE = types.ResourceTemplate(
    uri_template=FILE_ADDRESS,
    name="file",
    title="A file of the agent",
    description="As it is now; with `version` (1, 2, …) as it was then, also one that was deleted since.",
)


class ClientResources:
    """What a client may read as resources: files with the right `read`, own tools with `tools`."""

    def __init__(self, operations: Operations, client: McpClient) -> None:
        self._operations = operations
        self._client = client
        self._own = OwnOffers(operations, client)
        self._reads = ProgramRight.READ in client.rights

    async def listed(
        self, context: Context, params: types.PaginatedRequestParams | None
    ) -> types.ListResourcesResult:
        """A page of the agent's files and its sessions', by path; the first has own tools as well, of fixed
        addresses."""
        asking = FileQuery(after=params.cursor if params is not None else None, limit=PAGE)
        found: list[types.Resource] = []
        more = None
        with refusing(context):
            if asking.after is None:
                found += [
                    types.Resource(uri=str(address), name=one.name, description=one.made.value.description)
                    for one, address in await self._own.resources()
                    if not address.variables
                ]
            if self._reads:
                page = await self._operations.files.list(self._client.agent_id, asking)
                found += [_resource(one) for one in page.items]
                more = page.next_cursor
        return types.ListResourcesResult(resources=found, next_cursor=more, ttl_ms=0, cache_scope="private")

    async def templates(
        self, context: Context, params: types.PaginatedRequestParams | None
    ) -> types.ListResourceTemplatesResult:
        """How the addresses of files are made, and those of own tools that take arguments."""
        found = [_TEMPLATE] if self._reads else []
        with refusing(context):
            found += [
                types.ResourceTemplate(
                    uri_template=str(address), name=one.name, description=one.made.value.description
                )
                for one, address in await self._own.resources()
                if address.variables
            ]
        return types.ListResourceTemplatesResult(resource_templates=found, ttl_ms=0, cache_scope="private")

    async def read(
        self, context: Context, params: types.ReadResourceRequestParams
    ) -> types.ReadResourceResult:
        """A file's text, or its bytes where it is none; what an own tool returns."""
        uri = params.uri
        with refusing(context, uri=uri[:1_000]):
            if not uri.startswith(OWN_ADDRESSES) and (own := await self._own.read(uri)) is not None:
                return own
            file = await self._find(uri)
            if file.size > LARGEST:
                said = f"The file has {file.size:,} bytes: at most {LARGEST:,} are sent"
                raise Rejected(said, kind="too_large")
            data = b"".join([piece async for piece in self._operations.contents.read(file)])
        return types.ReadResourceResult(
            contents=[_contents(uri, file.media_type, data)], ttl_ms=0, cache_scope="private"
        )

    async def _find(self, uri: str) -> File:
        address = _ADDRESS.fullmatch(uri)
        if self._reads and address is not None:
            version = int(address[2]) if address[2] else None
            found = await self._operations.contents.find(address[1], version)
            if found.agent_id == self._client.agent_id:
                return found.file
        raise Rejected("There is no such resource", kind="not_found")


def _resource(file: StoredFile) -> types.Resource:
    return types.Resource(
        uri=f"{_FILES}{quote(file.file_id)}",
        name=file.path,
        description=None if file.session_id is None else f"In the session {file.session_id}",
        mime_type=file.media_type,
        size=file.size,
        annotations=types.Annotations(last_modified=file.updated_at),
    )


def _contents(
    uri: str, media_type: str, data: bytes
) -> types.TextResourceContents | types.BlobResourceContents:
    if is_text(data, media_type):
        try:
            return types.TextResourceContents(uri=uri, mime_type=media_type, text=data.decode())
        except UnicodeDecodeError:
            pass  # of an older charset: the client gets the bytes as they are
    blob = base64.b64encode(data).decode()
    return types.BlobResourceContents(uri=uri, mime_type=media_type, blob=blob)
