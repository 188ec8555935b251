"""A conversation whose model is the demo model over HTTP."""

from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AsyncExitStack
from pathlib import Path
from typing import Any

import pytest

from demo_model.server import DemoModel
from foldline_testing.model_caller.calling import QUICK, Conversation, choice_of
from foldline_testing.model_caller.ways import WAYS, Way
from model_caller.providers.by_model import ByModel
from model_caller.providers.loading import is_installed

KEY = "sk-test-0123456789"
HERE = f"{Path(__file__).parent}/"
NOT_OURS = (
    "ignore::DeprecationWarning:litellm",
    "ignore::UserWarning:pydantic",  # litellm's models
    "ignore:Unclosed connection:ResourceWarning",  # aiohttp under litellm, after a broken stream
)
"""What litellm warns about; anywhere else a warning fails the test."""

ABOUT_LITELLM = ("test_loading", "test_patches", "test_sent_bytes", "test_foreign_tokens")
ASKED = "openai/demo"
Talk = Callable[..., Awaitable[tuple[Conversation, DemoModel]]]


def needs_litellm(item: pytest.Item) -> bool:
    """Whether this test asks through litellm."""
    if item.path.stem == "test_known_providers":  # which is about its absence
        return False
    return "litellm" in item.name or item.path.stem in ABOUT_LITELLM


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Let litellm warn: as an error it would be a fault of the model. One worker loads it for all."""
    for item in items:
        if str(item.path).startswith(HERE):
            item.add_marker(pytest.mark.xdist_group("litellm"))
            if not is_installed() and needs_litellm(item):
                item.add_marker(pytest.mark.skip(reason="litellm isn't installed: it is an optional package"))
            for warning in NOT_OURS:
                item.add_marker(pytest.mark.filterwarnings(warning))


@pytest.fixture
async def talk() -> AsyncIterator[Talk]:
    """Begins a conversation with a model that plays a script; gives the conversation and the model."""
    async with AsyncExitStack() as stack:

        async def begin(
            script: dict[str, Any], *, key: str | None = KEY, **changes: Any
        ) -> tuple[Conversation, DemoModel]:
            model = await stack.enter_async_context(DemoModel(script))
            asked = changes.pop("model", ASKED)
            created = changes.pop("created", {})
            limits = changes.get("limits", QUICK)
            provider = ByModel(limits)
            stack.push_async_callback(provider.close)
            conversation = Conversation(provider, choice_of(asked, model.base_url, key), **changes)
            await conversation.begin(**created)
            return conversation, model

        yield begin


@pytest.fixture(params=list(WAYS))
def way(request: pytest.FixtureRequest) -> Way:
    """Each in turn."""
    return Way(*WAYS[request.param])
