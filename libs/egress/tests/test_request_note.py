"""Each request that leaves is noted, with what became of it; and each that was kept from it."""

from collections.abc import AsyncIterator
from urllib.parse import quote

import pytest

from agent_contracts.egress import EgressRequest
from agent_contracts.errors import ErrorKind, Failure, Rejected
from egress.fetching import FetchRequest
from egress.guard import Egress
from egress.placeholders import KnownSecret
from egress.redirects import Hop
from egress.rules import EgressRules
from egress.targets import RequestTarget
from foldline_testing.egress.web import FixedNames, LocalServer, answered, local_server

KEY = KnownSecret("KEY", "canary/+0123456789", ("a.test",))
OTHER = KnownSecret("OTHER", "another-value", ("a.test",))


class Refusing:
    """A gate that nothing passes."""

    def __init__(self, kind: ErrorKind) -> None:
        self.kind = kind

    async def check(self, hop: Hop, first: RequestTarget) -> None:
        raise Rejected(f"{hop.request.method} to {hop.target.host} may not leave", kind=self.kind)


@pytest.fixture
def noted() -> list[EgressRequest]:
    return []


@pytest.fixture
def egress(noted: list[EgressRequest]) -> Egress:
    names = FixedNames({"a.test": ["127.0.0.1"], "b.test": ["127.0.0.1"], "c.test": ["127.0.0.1"]})
    rules = EgressRules(private_hosts=frozenset({"a.test", "b.test"}))
    return Egress(rules, names).noted(noted.append)


@pytest.fixture
async def server() -> AsyncIterator[LocalServer]:
    async with local_server(lambda _: answered(b"0123456789")) as one:
        yield one


async def test_what_left_is_told_to_the_byte_with_the_names_of_the_secrets_in_it(
    egress: Egress, noted: list[EgressRequest], server: LocalServer
) -> None:
    request = FetchRequest(
        server.url("a.test", "/p/{{secret:KEY}}?token=query"), "POST", body=b"data", headers=(("x-me", "1"),)
    )
    await egress.fetch(request, (KEY, OTHER))
    (one,) = noted
    assert (one.host, one.method, one.verdict, one.status) == ("a.test", "POST", "sent", 200)
    assert one.secrets == ("KEY",)
    assert one.bytes_out == len(server.seen[0].encode("latin-1"))
    assert one.bytes_in == len(answered(b"0123456789").partition(b"\r\n")[2]) - len(b"\r\n")
    assert "query" not in one.path
    assert KEY.value not in repr(one)


@pytest.mark.parametrize("spelled", [quote(KEY.value, safe=""), KEY.value, KEY.value.encode().hex()])
async def test_a_value_that_code_put_into_the_path_itself_is_told_by_its_name_alone(
    egress: Egress, noted: list[EgressRequest], server: LocalServer, spelled: str
) -> None:
    await egress.fetch(FetchRequest(server.url("a.test", f"/p/{spelled}/end")), (KEY,))
    (one,) = noted
    assert (one.path, one.secrets) == ("/p/{{secret:KEY}}/end", ("KEY",))


async def test_each_redirect_is_a_request(egress: Egress, noted: list[EgressRequest]) -> None:
    async with local_server(lambda _: answered(b"there")) as end:
        away = lambda _: answered(b"", f"Location: {end.url('b.test', '/end')}", status=302)  # noqa: E731
        async with local_server(away) as first:
            await egress.fetch(FetchRequest(first.url("a.test", "/begin")))
    assert [(one.host, one.path, one.status) for one in noted] == [
        ("a.test", "/begin", 302),
        ("b.test", "/end", 200),
    ]


@pytest.mark.parametrize(
    ("kind", "verdict"), [(ErrorKind.APPROVAL_NEEDED, "asked"), (ErrorKind.REFUSED, "refused")]
)
async def test_what_the_gate_kept_is_told_and_nothing_of_it_left(
    egress: Egress, noted: list[EgressRequest], server: LocalServer, kind: ErrorKind, verdict: str
) -> None:
    with pytest.raises(Rejected):
        await egress.fetch(FetchRequest(server.url("a.test")), (), Refusing(kind))
    (one,) = noted
    assert (one.verdict, one.bytes_out, one.status) == (verdict, 0, None)
    assert server.seen == []


@pytest.mark.parametrize(
    ("url", "verdict"),
    [
        ("http://c.test/", "blocked"),  # this machine
        ("http://b.test/?k={{secret:KEY}}", "blocked"),  # a secret of others
        ("http://a.test:1/", "blocked"),  # a port of other protocols
        ("http://nowhere.test/", "failed"),
    ],
)
async def test_what_goes_nowhere_is_told_too(
    egress: Egress, noted: list[EgressRequest], url: str, verdict: str
) -> None:
    with pytest.raises(Failure):
        await egress.fetch(FetchRequest(url), (KEY,))
    assert [(one.verdict, one.bytes_out, one.secrets) for one in noted] == [(verdict, 0, ())]


async def test_who_hung_up_was_sent_it_all_the_same(egress: Egress, noted: list[EgressRequest]) -> None:
    async with local_server(lambda _: b"") as server:
        with pytest.raises(Failure):
            await egress.fetch(FetchRequest(server.url("a.test"), "POST", body=b"1"))
    (one,) = noted
    assert (one.verdict, one.status, one.bytes_in) == ("sent", None, 0)
    assert one.bytes_out > 0
