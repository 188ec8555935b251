"""What `test_new_result_field.py` runs beside copies of `agent_contracts` and `agent_tools` in which what a
call took and did has one more field, `weighed_g`, collected by `CallContext.weights`.

Writes what it saw to the standard output, as JSON. The database is in the environment's `DSN`.
"""

import asyncio
import json
import os
from typing import Any

import msgspec

from agent_contracts.api.calls import ToolCall
from agent_contracts.session_events.results import ToolCallCompleted
from agent_contracts.tool_spec import Effect
from agent_tools.context import CallContext
from agent_tools.tool import Arguments, Pause, Result, tool
from foldline_testing.agent_tools.world import CallWorld, delivery
from foldline_testing.product.recorded.tables import Tables
from foldline_testing.projector.projecting import MemoryTables
from foldline_testing.session_domain.messages import as_messages
from foldline_testing.session_domain.story import SESSION, Story, all_calls, answers, says, story, wants
from gateway.http.openapi_structs import schemas
from gateway.live.row_views import found_call
from gateway.queries.stored_rows import as_found
from projections.session_tables import TOOL_CALLS


class How(Arguments):
    """How it ends."""

    ending: str


class Weighed(Result):
    """Nothing to tell."""

    ok: bool = True


@tool("weigh", family="test", effect=Effect.PURE, pauses=True)
async def weigh(args: How, call: CallContext) -> Weighed | Pause:
    """Weigh twice."""
    notes: Any = call
    notes.weights.extend([400, 30])
    if args.ending == "fails":
        raise ValueError("it is too heavy")
    return Pause({"kind": "ask_user", "question": "More?"}) if args.ending == "pauses" else Weighed()


async def ran(ending: str) -> Any:
    """The event that a runner records, as it is read from the log."""
    world = CallWorld()
    await world.runner("r1", weigh).handle(delivery(await world.request("weigh", {"ending": ending})))
    found = await world.result()
    assert found is not None
    return found.event


def told(event: ToolCallCompleted) -> Story:
    """The session to which it happened."""
    said = story().given(says("weigh it"))
    call = wants(said, "weigh")
    said.given(answers(said, "", [call]))
    return said.given(msgspec.structs.replace(event, call_id=call.call_id))


async def seen() -> dict[str, Any]:
    completed = await ran("completes")
    said = told(completed)
    async with Tables(os.environ["DSN"]) as tables:
        writer = await tables.empty()
        await writer.write(as_messages(said.recorded, SESSION))
        page = await tables.page(SESSION)
        async with tables.database.snapshot() as snapshot:
            [row] = await snapshot.rows("SELECT * FROM tool_calls")
    [shown] = [call for one in page["items"] for call in one["tool_calls"]]
    [put] = MemoryTables().fold(as_messages(said.recorded, SESSION)).rows(TOOL_CALLS).values()
    live: Any = found_call(as_found(TOOL_CALLS, put)).row
    return {
        "events": [(await ran(ending)).weighed_g for ending in ("completes", "fails", "pauses")],
        "folded": [one.status.value for one in all_calls(said.state)],
        "row": row["accounting"]["weighed_g"],
        "shown": shown["accounting"]["weighed_g"],
        "live": live.accounting.weighed_g,
        "schema": schemas([ToolCall])["CallAccounting"]["properties"]["weighed_g"],
    }


if __name__ == "__main__":
    print(json.dumps(asyncio.run(seen())))
