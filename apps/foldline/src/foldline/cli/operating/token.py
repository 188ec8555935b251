"""`foldline token`: the gateway's token."""

import asyncio
import os
from enum import StrEnum
from typing import Annotated

import typer

from agent_contracts.errors import Rejected
from agent_platform.services.embedded.datadir import DataDirectory
from agent_platform.services.embedded.passwords import rotate_token
from agent_platform.settings.sources import DEFAULT
from foldline.administrator import connect_as_admin
from foldline.cli.output import JsonOption, console, done, failures_shown
from foldline.settings import UpSettings, load
from foldline.supervisor.announcement import read_announcement
from foldline.supervisor.servers import PASSWORDS
from foldline.supervisor.token_rotation import RotationAnswer, rotated, token_is_set


class TokenAction(StrEnum):
    """The action to take."""

    ROTATE = "rotate"


def token(
    action: Annotated[TokenAction, typer.Argument(help="The action to take.")],
    as_json: JsonOption = False,
) -> None:
    """Make a new token for the gateway and print the new link. The old one is refused from then on.

    All browsers are logged out. Programs that have the old token need the new one.
    """
    assert action is TokenAction.ROTATE
    with failures_shown():
        if "FOLDLINE_URL" in os.environ:
            raise Rejected("Run this where Foldline runs, without FOLDLINE_URL", kind="invalid_request")
        everything = load()
        if everything.sources["token"] != DEFAULT:
            raise token_is_set(str(everything.sources["token"]))
        settings = everything.of(UpSettings)
        answer = asyncio.run(_rotated(settings))
        words = "There is a new token; the old one is refused, and all browsers are logged out"
        done({"token": answer.token, "link": answer.link}, words, as_json)
        if not as_json:
            console.print(f"  {answer.link or answer.token}", highlight=False, soft_wrap=True)


async def _rotated(settings: UpSettings) -> RotationAnswer:
    said = read_announcement(settings.data_dir)
    if said is None:
        if not (settings.data_dir / PASSWORDS).exists():
            raise Rejected(
                f"There is no token yet in {settings.data_dir}: foldline up makes it", kind="not_found"
            )
        with DataDirectory.open(settings.data_dir) as directory:
            return RotationAnswer(token=rotate_token(directory.path / PASSWORDS))
    admin = await connect_as_admin(settings, said.nats_url, "token")
    try:
        return await rotated(admin)
    finally:
        await admin.close()
