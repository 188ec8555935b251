"""A server is asked whether a page of another origin may send it more than a form could."""

from collections.abc import Mapping

import pytest

from browser_pool.preflights import Preflights, special_headers
from egress.testing.web import answered, egress_to, local_server

ORIGIN = "http://a.test"
OWN = {"origin": ORIGIN, "x-own": "1"}
ANY = "Access-Control-Allow-Origin: *"
NAMED = f"Access-Control-Allow-Origin: {ORIGIN}"
PUT = "Access-Control-Allow-Methods: PUT"


@pytest.mark.parametrize(
    ("said", "method", "headers", "allowed"),
    [
        ((ANY, PUT), "PUT", {"origin": ORIGIN}, True),
        ((NAMED, "Access-Control-Allow-Methods: GET, PUT"), "PUT", {"origin": ORIGIN}, True),
        ((ANY, "Access-Control-Allow-Methods: *"), "PUT", {"origin": ORIGIN}, True),
        ((ANY,), "PUT", {"origin": ORIGIN}, False),
        ((PUT,), "PUT", {"origin": ORIGIN}, False),
        (("Access-Control-Allow-Origin: http://other.test", PUT), "PUT", {"origin": ORIGIN}, False),
        ((ANY, "Access-Control-Allow-Headers: X-Own"), "POST", OWN, True),
        ((ANY, "Access-Control-Allow-Headers: *"), "GET", OWN, True),
        ((ANY,), "GET", OWN, False),
        (
            (ANY, "Access-Control-Allow-Headers: *"),
            "GET",
            {"origin": ORIGIN, "authorization": "x"},
            False,
        ),
        ((ANY,), "POST", {"origin": ORIGIN, "content-type": "application/json"}, False),
    ],
)
async def test_what_a_server_says_counts(
    said: tuple[str, ...], method: str, headers: Mapping[str, str], allowed: bool
) -> None:
    async with local_server(lambda _: answered(b"", *said)) as server:
        preflights = Preflights(egress_to("b.test"))
        url = server.url("b.test", "/x")
        assert await preflights.allow(method, url, headers) is allowed
        assert await preflights.allow(method, url, headers) is allowed
        [asked] = server.seen
        assert asked.startswith("OPTIONS /x HTTP/1.1\r\n")
        assert f"origin: {ORIGIN}\r\naccess-control-request-method: {method}\r\n" in asked


async def test_a_refusal_a_redirect_and_silence_are_no_leave() -> None:
    async with local_server(lambda _: answered(b"", ANY, PUT, status=403)) as server:
        assert not await Preflights(egress_to("b.test")).allow("PUT", server.url("b.test"), OWN)
    async with local_server(
        lambda request: (
            answered(b"", ANY, PUT, f"Location: {there.url('b.test', '/y')}", status=302)
            if " /x " in request
            else answered(b"", ANY, PUT)
        )
    ) as there:
        assert not await Preflights(egress_to("b.test")).allow("PUT", there.url("b.test", "/x"), OWN)
    assert not await Preflights(egress_to()).allow("PUT", "http://inside.test/", OWN)


@pytest.mark.parametrize(
    ("method", "url", "headers"),
    [
        ("POST", "http://b.test/", {"origin": ORIGIN, "content-type": "text/plain;charset=UTF-8"}),
        ("GET", "http://b.test/", {"origin": ORIGIN, "sec-ch-ua": "x", "accept": "*/*"}),
        ("PUT", "http://a.test/", {"origin": ORIGIN, "x-own": "1"}),
        ("PUT", "http://a.test/", {}),
    ],
)
async def test_nobody_is_asked_where_browsers_ask_nobody(
    method: str, url: str, headers: Mapping[str, str]
) -> None:
    assert await Preflights(egress_to()).allow(method, url, headers)


def test_headers_that_no_form_sends() -> None:
    headers = {
        "b": "1",
        "a": "2",
        "accept": "x",
        "content-type": "application/json",
        "sec-fetch-mode": "cors",
    }
    assert special_headers(headers) == ["a", "b", "content-type"]
