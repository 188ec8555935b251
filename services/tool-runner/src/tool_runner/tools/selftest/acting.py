"""Acting on the outside world where a test can count it: a line in a file, or a POST to a URL."""

import os

import httpx

from agent_contracts.errors import Rejected, Transient
from agent_platform.settings.loading import load_settings
from egress.proxies.clients import outward_client
from egress.proxies.proxies import DIRECTLY
from tool_runner.settings import SelftestSettings


async def act(line: str, headers: dict[str, str] | None = None) -> str:
    """Leave one line at the target of the settings, and return where. One write, so lines never mix.

    Raises `Rejected(kind="blocked")` where no target is set, `Transient(kind="upstream")` where it fails.
    """
    settings = load_settings(SelftestSettings).settings
    if settings.selftest_url is not None:
        try:
            async with outward_client(DIRECTLY, 10) as client:
                answer = await client.post(settings.selftest_url, content=line.encode(), headers=headers)
                answer.raise_for_status()
        except httpx.HTTPError as error:
            raise Transient(f"{settings.selftest_url}: {error}", kind="upstream") from error
        return settings.selftest_url
    if settings.selftest_file is not None:
        target = os.open(settings.selftest_file, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o600)
        try:
            os.write(target, f"{line}\n".encode())
            os.fsync(target)
        finally:
            os.close(target)
        return str(settings.selftest_file)
    raise Rejected("set FOLDLINE_SELFTEST_FILE or FOLDLINE_SELFTEST_URL", kind="blocked")
