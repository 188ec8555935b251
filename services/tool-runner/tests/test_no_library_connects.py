"""That no library opens a connection in the tests of the runner is seen where one does."""

import aiohttp
import httpx
import pytest
import requests
import urllib3

URL = "http://127.0.0.1:9/"


@pytest.mark.parametrize("get", [httpx.get, requests.get, urllib3.PoolManager().urlopen])
def test_a_library_that_connects_is_seen(get: object) -> None:
    assert callable(get)
    with pytest.raises(AssertionError, match="wanted to open a connection"):
        get("GET", URL) if get not in (httpx.get, requests.get) else get(URL)


async def test_one_that_connects_by_itself_in_the_loop_is_seen() -> None:
    async with httpx.AsyncClient() as client:
        with pytest.raises(AssertionError, match="wanted to open a connection"):
            await client.get(URL)
    async with aiohttp.ClientSession() as session:
        with pytest.raises(AssertionError, match="wanted to open a connection"):
            await session.get(URL)
