"""Discord's REST API, version 10."""

from typing import Annotated

from pydantic import Field

from agent_tools.rest import Service

DISCORD = Service(
    name="Discord",
    url="https://discord.com/api/v10",
    secret="DISCORD_BOT_TOKEN",
    scheme="Bot",
    headers=(("User-Agent", "DiscordBot (https://foldline.invalid, 1)"),),
)
NEEDS = (f"secret:{DISCORD.secret}",)
LONGEST_MESSAGE = 2_000
"""Characters of a message, as Discord counts."""

Snowflake = Annotated[str, Field(pattern=r"^[0-9]{1,20}$")]
Channel = Annotated[Snowflake, Field(description="The channel's id.")]
