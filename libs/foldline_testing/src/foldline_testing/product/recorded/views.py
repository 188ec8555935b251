"""What people see of a recorded session by today's code: the gateway's own queries over a real Postgres."""

from typing import Any

from agent_contracts.log.record.records import StoredMessage
from foldline_testing.product.recorded.meaning import events_view
from foldline_testing.product.recorded.recording import Recording
from foldline_testing.product.recorded.tables import Tables, fold_up_to


async def views(recording: Recording, tables: Tables, story: list[StoredMessage]) -> dict[str, Any]:
    """What the API answers at each moment at which it was asked when the story was recorded."""
    writer = await tables.empty()
    looked = sorted(
        (page["sequence"], label) for label, seen in recording.seen.items() for page in seen["pages"]
    )
    found: dict[str, Any] = {label: {"pages": []} for label in recording.sessions}
    for sequence, label in looked:
        await fold_up_to(writer, story, sequence)
        found[label]["pages"].append(await tables.page(recording.session_id(label)))
    for label in found:
        found[label]["timeline"] = await tables.timeline(recording.session_id(label))
    return found


async def seen_of(recording: Recording, dsn: str) -> dict[str, Any]:
    """All that was seen of a recording, as it would be seen now. What the timeline says of the agent's own
    changes is as it was: their events are not in a recording."""
    async with Tables(dsn) as tables:
        found = await views(recording, tables, recording.messages())
    for label, seen in found.items():
        seen["events"] = events_view(recording.sessions[label])
        was = recording.seen[label]["timeline"]["items"]
        for row, before in zip(seen["timeline"]["items"], was, strict=True):
            row["changed"] = before["changed"]
    return found
