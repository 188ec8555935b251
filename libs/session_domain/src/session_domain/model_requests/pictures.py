"""The pictures of a request: named by hash where a model sees them, described where it doesn't.

A message is rendered with all its pictures (`{"type": "picture", "blob": …}`). Which of them this call shows
follows from the messages and the recorded `PictureRule`, so that it is found again. The bytes are put in only
where a request leaves.
"""

import asyncio
import base64
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Literal

import msgspec
from cachetools import LRUCache

from agent_contracts.errors import Rejected
from agent_contracts.model_context import PictureRule
from agent_contracts.pictures import SEEN_TYPES, Picture
from agent_platform.log.blobs.port import Blobs
from session_domain.domain.shown.shapes import Looks, Shapes, looks
from session_domain.model_requests.encoded_array import part_of
from session_domain.model_requests.picture_size import picture_size
from session_domain.model_requests.rendering import MessageSelection

TODAY = PictureRule(most=20, at_once=10, largest=3_750_000, longest=8_000, together=20_000_000)
"""Providers take 5 MB of a picture in base64, 8,000 pixels, and 32 MB of a request."""
_URLS = 64 * 1024 * 1024
_KNOWN = 20_000
_READ_AT_ONCE = 4

Why = Literal["picture_unseen", "picture_too_large", "picture_earlier", "picture_gone"]
"""Why a picture is described: the name of its shape."""


class PictureDescription(msgspec.Struct, frozen=True):
    """What the shapes of pictures that aren't shown are filled with; None: nobody measured it."""

    name: str
    media_type: str
    size: int
    width: int | None = None
    height: int | None = None


class ShownPictures(msgspec.Struct, frozen=True):
    """What a model is shown, and the pictures among it."""

    choice: MessageSelection
    pictures: Sequence[Picture] = ()


class PictureReader:
    """Reads pictures' bytes, each once while it is remembered. `keep`: they are to be sent as well."""

    def __init__(self, blobs: Blobs, *, keep: bool = True) -> None:
        self._blobs = blobs
        self._keep = keep
        self._sizes: LRUCache[str, tuple[int, int] | None] = LRUCache(_KNOWN)
        self._urls: LRUCache[str, str] = LRUCache(_URLS, getsizeof=len)
        self._reading = asyncio.Semaphore(_READ_AT_ONCE)

    async def seen(self, choice: MessageSelection, rule: PictureRule | None, shapes: Shapes) -> ShownPictures:
        """The choice with each picture shown or described; without a rule, the model sees none."""
        if not choice.pictured:
            return ShownPictures(choice)
        elements = {index: _elements(choice.parts[index]) for index in choice.pictured}
        places = [place for index in choice.pictured for place in _places(elements[index])]
        found = [msgspec.convert(place[0][place[1]], Picture) for place in places]
        fates = decide(found, await self._measured(found, rule), rule)
        look, kept = looks(shapes), list[Picture]()
        for (content, at), picture, why in zip(places, found, fates, strict=True):
            if why is None:
                kept.append(picture)
            else:
                content[at] = {"type": "text", "text": self._described(picture, why, look)}
        parts = list(choice.parts)
        for index, decoded in elements.items():
            parts[index] = part_of([_simple(message) for message in decoded])
        shown = msgspec.structs.replace(choice, parts=parts, size=sum(map(len, parts)))
        return ShownPictures(shown, kept)

    async def urls(self, seen: ShownPictures) -> dict[str, str]:
        """The pictures that are shown as data URLs, by hash."""
        return {one.blob: await self._url(one) for one in seen.pictures}

    def forget(self) -> None:
        """Something was erased: no picture stays here."""
        self._sizes.clear()
        self._urls.clear()

    async def _measured(
        self, pictures: Sequence[Picture], rule: PictureRule | None
    ) -> dict[str, tuple[int, int] | None]:
        """Width and height of what is small enough to be read; None for what is gone or no picture."""
        most = (rule or TODAY).largest
        wanted = {one.blob: one for one in pictures if one.size <= most}
        unknown = [one for blob, one in wanted.items() if blob not in self._sizes]
        await asyncio.gather(*map(self._read, unknown))
        return {blob: self._sizes.get(blob) for blob in wanted}

    async def _read(self, picture: Picture) -> None:
        async with self._reading:
            try:
                data = await self._blobs.get(picture.blob)
            except Rejected:
                return  # it may come back, by an import
            self._sizes[picture.blob] = picture_size(data)
            url = _url(picture, data) if self._keep else ""
            if self._keep and len(url) <= _URLS:
                self._urls[picture.blob] = url

    async def _url(self, picture: Picture) -> str:
        known = self._urls.get(picture.blob)
        if known is not None:
            return known
        return _url(picture, await self._blobs.get(picture.blob))

    def _described(self, picture: Picture, why: Why, look: Looks) -> str:
        size = self._sizes.get(picture.blob)
        width, height = size or (None, None)
        described = PictureDescription(picture.name, picture.media_type, picture.size, width, height)
        text: str = look[why](described)
        return text


def _url(picture: Picture, data: bytes) -> str:
    return f"data:{picture.media_type};base64,{base64.b64encode(data).decode()}"


def decide(
    pictures: Sequence[Picture], sizes: Mapping[str, tuple[int, int] | None], rule: PictureRule | None
) -> list[Why | None]:
    """For each picture of a request, in order, why it is described; None: it is shown. Pure.

    The latest are shown. Where one more comes, the earlier ones are taken out several at once: between that,
    what is sent begins as it did before, so that the provider has it cached.
    """
    fates = [_alone(one, sizes, rule) for one in pictures]
    if rule is None:
        return fates
    shown = [index for index, why in enumerate(fates) if why is None]
    over = max(0, len(shown) - rule.most)
    out = -(-over // rule.at_once) * rule.at_once
    while out < len(shown) and sum(pictures[index].size for index in shown[out:]) > rule.together:
        out += rule.at_once
    for index in shown[:out]:
        fates[index] = "picture_earlier"
    return fates


def _alone(
    picture: Picture, sizes: Mapping[str, tuple[int, int] | None], rule: PictureRule | None
) -> Why | None:
    if rule is None:
        return "picture_unseen"
    if picture.size > rule.largest:
        return "picture_too_large"
    size = sizes.get(picture.blob)
    if size is None or picture.media_type not in SEEN_TYPES:
        return "picture_gone"
    return "picture_too_large" if max(size) > rule.longest else None


def _elements(part: bytes) -> list[dict[str, Any]]:
    decoded: list[dict[str, Any]] = msgspec.json.decode(b"[" + part + b"]")
    return decoded


def _places(messages: Sequence[Mapping[str, Any]]) -> Iterator[tuple[list[Any], int]]:
    """Where pictures stand: a message's content, and the index in it."""
    for message in messages:
        content = message.get("content")
        if isinstance(content, list):
            for at, one in enumerate(content):
                if one.get("type") == "picture":
                    yield content, at


def _simple(message: dict[str, Any]) -> dict[str, Any]:
    """A message of texts alone is one text: that, every server takes."""
    content = message.get("content")
    if not isinstance(content, list) or any(one.get("type") != "text" for one in content):
        return message
    return message | {"content": "\n".join(one["text"] for one in content)}
