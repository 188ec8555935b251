"""What a foreign server (MCP) says of its tools: the entity `mcp_tools`, under the server's name."""

import hashlib
from typing import Annotated

import msgspec

from agent_contracts.entities.mcp_servers import LONGEST_NAME, MOST_TOOLS
from agent_contracts.json_value import Json

LONGEST_DESCRIPTION = 4_000
"""Characters of a tool's description; a longer one is cut, and its hash is still that of all of it."""
LARGEST_TOOLS = 640 * 1024
"""Bytes of JSON of all tools of a server: the entity is one message."""
LONGEST_FLAW = 300
LONGEST_APP = 500
FAMILY = "mcp:"
"""The tools of a server have the family `mcp:<server>`."""
READ_MCP_RESOURCE, GET_MCP_PROMPT = "read_mcp_resource", "get_mcp_prompt"
"""What these ask a server for can tell it something."""
LIST_MCP_RESOURCES, LIST_MCP_PROMPTS = "list_mcp_resources", "list_mcp_prompts"


class AppPage(msgspec.Struct, frozen=True):
    """The page of an app, as it is drawn: the hash of its bytes, and how many they are."""

    sha256: str
    size: int


class McpTool(msgspec.Struct, frozen=True, omit_defaults=True):
    """One tool, in the server's words. `hash` is that of its whole definition (`definition_hash`); `hints`
    are what the server claims of its effects, which nothing here goes by. One with a `flaw` can't be used,
    and has no parameters. `app` is the address (`ui://`) of the page that shows its results, if it has one,
    and `page` what stood there when the tools were listed; one `for_apps_only` is never offered to models,
    one `for_models_only` no app may call."""

    name: Annotated[str, msgspec.Meta(min_length=1, max_length=LONGEST_NAME)]
    hash: str
    title: Annotated[str, msgspec.Meta(max_length=LONGEST_NAME)] = ""
    description: Annotated[str, msgspec.Meta(max_length=LONGEST_DESCRIPTION)] = ""
    parameters: dict[str, Json] = {}
    hints: dict[str, bool] = {}
    flaw: Annotated[str, msgspec.Meta(max_length=LONGEST_FLAW)] = ""
    app: Annotated[str, msgspec.Meta(max_length=LONGEST_APP)] = ""
    page: AppPage | None = None
    for_apps_only: bool = False
    for_models_only: bool = False


class McpTools(msgspec.Struct, frozen=True, omit_defaults=True):
    """The value of the entity: the tools by name, and how the server calls itself. `left_out` are more, for
    which there was no room. `incomplete` says why the server may have more than it listed."""

    tools: Annotated[tuple[McpTool, ...], msgspec.Meta(max_length=MOST_TOOLS)] = ()
    server: Annotated[str, msgspec.Meta(max_length=LONGEST_NAME)] = ""
    left_out: int = 0
    incomplete: Annotated[str, msgspec.Meta(max_length=LONGEST_FLAW)] = ""


def definition_hash(definition: Json) -> str:
    """What a definition is pinned by: name, title, description, schemas, annotations and its app with
    its page, as the server wrote them."""
    return hashlib.sha256(msgspec.json.encode(definition, order="deterministic")).hexdigest()
