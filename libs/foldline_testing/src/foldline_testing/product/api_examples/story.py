"""The story that the examples are taken from: it calls every operation of the API, in this order."""

from datetime import UTC, datetime
from pathlib import Path

from foldline_testing.product.api_examples import agents, installation, sessions
from foldline_testing.product.api_examples.caller import ApiCaller
from foldline_testing.product.api_examples.readable import readable
from foldline_testing.product.api_examples.surroundings import surroundings
from gateway.http.openapi_examples import ApiExample

_PARTS = (
    agents.begin,
    sessions.conversation,
    sessions.live,
    sessions.a_person_decides,
    sessions.files,
    sessions.browser,
    agents.definitions,
    agents.texts_and_state,
    agents.choices,
    agents.timed,
    agents.mcp_servers,
    agents.own_work,
    installation.wakes,
    installation.notifications,
    installation.chats,
    installation.operating,
    agents.back,
    agents.end,
)


def recorded(folder: Path) -> dict[str, ApiExample]:
    """The example of each operation, by its id. AssertionError: a call failed, what was sent or answered
    doesn't fit its schema, or an operation has no example. Data are in `folder`."""
    began = datetime.now(UTC)
    with surroundings(folder) as world, ApiCaller(world.stack.url, world.stack.token) as api:
        for part in _PARTS:
            part(api, world)
        assert "Traceback" not in world.stack.log, world.stack.log
        without = [name for name in api.description.operations if name not in api.examples]
        assert not without, f"the story calls no {', '.join(without)}"
        return readable(api.examples, began, world.addresses)
