"""The catalogues of tools that runners publish, one per pack."""

from collections.abc import AsyncGenerator, Iterable, Mapping, Sequence
from contextlib import aclosing

import msgspec

from agent_contracts.ids import check_id
from agent_contracts.tool_spec import Catalogue
from agent_platform.log.bucket import Bucket


class Catalog:
    """The packs' catalogues in a bucket."""

    def __init__(self, bucket: Bucket) -> None:
        self._bucket = bucket

    async def put(self, catalogue: Catalogue) -> None:
        """Publish a pack's catalogue in place of its earlier one; nothing is written if it is the same."""
        key = check_id(catalogue.pack, "pack")
        body = msgspec.json.encode(catalogue)
        held = await self._bucket.get(key)
        if held is None or held.value != body:
            await self._bucket.put(key, body)

    async def keep_packs(self, names: Iterable[str]) -> Sequence[str]:
        """Take away the catalogues of packs that agents may enable, but for these: they aren't installed any
        more. Which ones went."""
        kept = set(names)
        gone = [key for key, one in (await self.list()).items() if one.about is not None and key not in kept]
        for key in gone:
            await self._bucket.delete(key)
        return gone

    async def list(self) -> Mapping[str, Catalogue]:
        """Every pack's catalogue, by pack."""
        entries = await self._bucket.list()
        return {key: msgspec.json.decode(entry.value, type=Catalogue) for key, entry in entries.items()}

    async def watch(self) -> AsyncGenerator[Mapping[str, Catalogue], None]:
        """All catalogues now, and again after each change."""
        revision = await self._bucket.last_revision()
        async with aclosing(self._bucket.changes(after=revision)) as changes:
            known = await self.list()
            yield known
            async for _ in changes:
                newer = await self.list()
                if newer != known:
                    known = newer
                    yield known
