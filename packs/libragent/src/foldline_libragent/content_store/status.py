"""What models are told of the session's content store: how many stores and contents it has."""

from agent_contracts.api.state import Operation
from agent_contracts.entities.enabled_packs import text_of_pack
from agent_contracts.packs import PromptText
from agent_domain.text_edits import TextEdit
from agent_tools.context import CallContext
from agent_tools.ports.agent import AgentTexts
from foldline_libragent.content_store.contents import Contents


def status(stores: int, contents: int) -> str:
    """As LibrAgent words it."""
    stored = "1 store" if stores == 1 else f"{stores} stores"
    items = "1 item" if contents == 1 else f"{contents} items"
    return (
        "**Server**: content_store\n"
        "**Status**: Active\n"
        f"**Stores Available**: {stored}\n"
        f"**Total Content**: {items}"
    )


STATUS = PromptText(
    "content_store", "Content Store Server Status", per_session=True, initial=status(stores=0, contents=0)
)
"""The text; each session has its own, as it has its own stores."""


async def tell_status(contents: Contents, texts: AgentTexts, call: CallContext) -> None:
    """Write it after a change. The same again makes no version."""
    stores = await contents.stores()
    text = status(len(stores), sum(store.contents for store in stores))
    which = text_of_pack(STATUS, call.session_id)
    if (await texts.read(which)).text != text:
        await texts.edit(which, TextEdit(Operation.REPLACE, content=text))
