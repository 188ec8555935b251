"""What a server sent, as the result of a call: text stays, pictures and files become files of the session."""

import base64
import binascii
import hashlib
import mimetypes
import re
from collections.abc import Iterable, Sequence
from typing import Annotated, Any

import mcp_types as types
import msgspec
from pydantic import Field, SerializerFunctionWrapHandler, model_serializer

from agent_contracts.json_value import Json
from agent_contracts.pictures import SEEN_TYPES, Picture
from agent_domain.files.file import File, FileContent
from agent_platform.log.storable_text import storable
from agent_tools.free_paths import create_at_free_path
from agent_tools.ports.files import AgentFiles
from agent_tools.tool import Result
from egress.redaction import Redaction
from mcp_host.limits import FILE_BYTES, FILES, RESOURCE_BYTES

_UNFIT = re.compile(r"[^A-Za-z0-9._-]+")


class ReceivedFile(Result):
    """A file of the session that holds what was sent."""

    file_id: str
    path: str
    media_type: str
    size: int


class Link(Result):
    """Something that the server has: read it by its `uri`."""

    uri: str
    name: str = ""
    description: str = ""
    media_type: str = ""


class FromServer(Result):
    """What the server sent, in its own words."""

    text: str = ""
    structured: Json = None
    files: tuple[ReceivedFile, ...] = ()
    links: tuple[Link, ...] = ()
    app: ReceivedFile | None = None
    """A page of HTML that shows the result to a person."""
    notes: tuple[str, ...] = ()
    shown: Annotated[tuple[tuple[str, str, int, str], ...], Field(exclude=True)] = ()

    def shown_pictures(self) -> tuple[Picture, ...]:
        """Those that a model can see."""
        return tuple(Picture(*one) for one in self.shown)

    @model_serializer(mode="wrap")
    def _without_what_is_empty(self, whole: SerializerFunctionWrapHandler) -> dict[str, Any]:
        return {name: value for name, value in whole(self).items() if value not in (None, "", [], ())}


class ResultReader:
    """Makes a result of the parts that a server sent. `folder` is where its files go."""

    def __init__(self, files: AgentFiles, redaction: Redaction, folder: str) -> None:
        self._files = files
        self._redaction = redaction
        self._folder = f"mcp/{_UNFIT.sub('_', folder)}"
        self._stored: list[ReceivedFile] = []
        self._shown: list[tuple[str, str, int, str]] = []
        self._notes: list[str] = []

    async def result(self, parts: Sequence[types.ContentBlock], structured: Any = None) -> FromServer:
        """All of it."""
        texts: list[str] = []
        links: list[Link] = []
        for part in parts:
            match part:
                case types.TextContent(text=text):
                    texts.append(self._clean(text))
                case types.ImageContent(data=data, mime_type=kind):
                    await self._binary(data, kind, "picture")
                case types.AudioContent(data=data, mime_type=kind):
                    await self._binary(data, kind, "sound")
                case types.EmbeddedResource(resource=resource):
                    texts += await self.resource(resource)
                case types.ResourceLink():
                    links.append(self._link(part))
        kept: Json = storable(self._redaction.json(structured))
        text = "\n\n".join(texts)
        if kept is not None and _says_the_same(text, kept):
            text = ""
        return FromServer(
            text=text,
            structured=kept,
            files=tuple(self._stored),
            links=tuple(links[:200]),
            notes=tuple(self._notes),
            shown=tuple(self._shown),
        )

    async def resource(self, found: types.TextResourceContents | types.BlobResourceContents) -> Iterable[str]:
        """Its text, or what file it became."""
        name = found.uri.rstrip("/").rpartition("/")[2] or "resource"
        if isinstance(found, types.BlobResourceContents):
            await self._binary(found.blob, found.mime_type or "", name)
            return ()
        return await self.text(found.text, found.mime_type or "text/plain", name)

    async def text(self, said: str, media_type: str, name: str) -> Iterable[str]:
        """The text, if it isn't so long that it became a file of this name."""
        text = self._clean(said)
        if len(text.encode()) <= RESOURCE_BYTES:
            return (text,)
        await self._store(text.encode(), media_type, name)
        return ()

    async def app(self, data: bytes) -> tuple[ReceivedFile | None, str]:
        """The page as a file, that of an earlier call where it is the same; or why it can't be one."""
        if len(data) > FILE_BYTES:
            return None, f"it has {len(data):,} bytes, and {FILE_BYTES:,} are the most"
        path, digest = f"{self._folder}/app.html", hashlib.sha256(data).hexdigest()
        before = (one for one in await self._files.list() if one.path.startswith(f"{self._folder}/app"))
        file = next((one for one in before if one.blob == digest), None)
        if file is None:
            content = FileContent(data, media_type="text/html")
            file = await create_at_free_path(self._files, path, content)
        return ReceivedFile(
            file_id=file.file_id, path=file.path, media_type=file.media_type, size=file.size
        ), ""

    def _clean(self, text: str) -> str:
        return str(storable(self._redaction.text(text)))

    def _link(self, link: types.ResourceLink) -> Link:
        return Link(
            uri=self._clean(link.uri)[:2000],
            name=self._clean(link.title or link.name)[:200],
            description=self._clean(link.description or "")[:500],
            media_type=(link.mime_type or "")[:100],
        )

    async def _binary(self, data: str, media_type: str, name: str) -> None:
        try:
            decoded = base64.b64decode(data, validate=True)
        except (binascii.Error, ValueError):
            self._notes.append(f"a part of type {media_type[:100]!r} could not be read and was left out")
            return
        await self._store(self._redaction.body(decoded), media_type, name)

    async def _store(self, data: bytes, media_type: str, name: str) -> None:
        if len(data) > FILE_BYTES or len(self._stored) >= FILES:
            self._notes.append(f"a part of {len(data):,} bytes was left out: there is no room for it")
            return
        kind = media_type.partition(";")[0].strip().lower()
        stem = (_UNFIT.sub("_", name)[:80] or "part").strip("._") or "part"
        ending = "" if "." in stem else mimetypes.guess_extension(kind) or ".bin"
        content = FileContent(data, media_type=kind if "/" in kind else None)
        file: File = await create_at_free_path(self._files, f"{self._folder}/{stem}{ending}", content)
        self._stored.append(
            ReceivedFile(file_id=file.file_id, path=file.path, media_type=file.media_type, size=file.size)
        )
        if file.media_type in SEEN_TYPES:
            self._shown.append((file.blob, file.media_type, file.size, file.path))


def _says_the_same(text: str, structured: Json) -> bool:
    """Servers repeat what they give as JSON in text, for clients that read text alone."""
    if not text:
        return False
    try:
        said: object = msgspec.json.decode(text)
    except msgspec.DecodeError:
        said = text
    return any(one == structured for one in (said, {"result": said}))
