"""LangGraph with its SQLite checkpointer: a graph of two nodes, a checkpoint after each, written at once."""

import operator
import os
import time
import uuid
from pathlib import Path
from typing import Annotated, Any, TypedDict

from langgraph.checkpoint.sqlite.aio import AsyncSqliteSaver  # type: ignore[import-not-found]
from langgraph.graph import END, START, StateGraph  # type: ignore[import-not-found]
from work import WORK, Driver, serve  # type: ignore[import-not-found]


class State(TypedDict):
    """A session."""

    sid: str
    i: int
    steps: int
    messages: Annotated[list[str], operator.add]


async def model(state: State) -> dict[str, Any]:
    """The model's half of a step."""
    return {"messages": [WORK.model(state["sid"], state["i"])]}


async def tool(state: State) -> dict[str, Any]:
    """The tool's half."""
    return {"messages": [WORK.tool(state["sid"], state["i"])], "i": state["i"] + 1}


def further(state: State) -> str:
    """Whether there is a step left."""
    return "model" if state["i"] < state["steps"] else END


class LangGraph(Driver):  # type: ignore[misc]
    """A thread is a session."""

    async def open(self) -> None:
        """Open the database, build the graph."""
        file = Path(os.environ["PEERS_DATA"]) / "langgraph.sqlite"
        self._saver = AsyncSqliteSaver.from_conn_string(str(file))
        saver = await self._saver.__aenter__()
        await saver.conn.execute("PRAGMA synchronous=FULL")
        graph = StateGraph(State)
        graph.add_node("model", model)
        graph.add_node("tool", tool)
        graph.add_edge(START, "model")
        graph.add_edge("model", "tool")
        graph.add_conditional_edges("tool", further)
        self._graph = graph.compile(checkpointer=saver)

    async def run(self, sid: str, steps: int) -> None:
        """See `Driver`."""
        await self._invoke({"sid": sid, "i": 0, "steps": steps, "messages": []}, sid, steps)

    async def resume(self, sid: str, steps: int) -> None:
        """From the thread's last checkpoint."""
        await self.open_once()
        await self._invoke(None, sid, steps)

    async def fork(self, sid: str, at: int) -> float:
        """A thread that begins with the state of another one's checkpoint."""
        async for snapshot in self._graph.aget_state_history(_thread(sid)):
            if snapshot.values.get("i") == at and snapshot.next == ("model",):
                began = time.perf_counter()
                await self._graph.aupdate_state(_thread(uuid.uuid4().hex), snapshot.values, as_node="tool")
                return (time.perf_counter() - began) * 1000
        raise ValueError(f"{sid} was never after step {at}")

    async def close(self) -> None:
        """See `Driver`."""
        await self._saver.__aexit__(None, None, None)

    async def _invoke(self, state: State | None, sid: str, steps: int) -> None:
        config = _thread(sid) | {"recursion_limit": 2 * steps + 10}
        await self._graph.ainvoke(state, config, durability="sync")
        WORK.done(sid)


def _thread(sid: str) -> dict[str, Any]:
    return {"configurable": {"thread_id": sid}}


if __name__ == "__main__":
    serve(LangGraph())
