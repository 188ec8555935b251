"""What a request that is sent elsewhere takes along."""

import pytest

from egress.fetching import FetchRequest
from egress.redirects import Hop, next_hop
from egress.targets import target_of

HERE = "https://a.test/begin"
HEADERS = (("authorization", "Bearer t"), ("accept", "text/html"), ("x-key", "k"), ("content-type", "a/b"))


@pytest.mark.parametrize(
    ("to", "keeps"),
    [
        ("/end", True),
        ("https://a.test/end", True),
        ("https://a.test:443/end", True),
        ("http://a.test/end", False),
        ("https://a.test:8443/end", False),
        ("https://b.test/end", False),
        ("https://sub.a.test/end", False),
    ],
)
def test_only_to_the_same_scheme_host_and_port_go_headers_that_may_be_credentials(
    to: str, keeps: bool
) -> None:
    hop = next_hop(Hop(target_of(HERE), FetchRequest(HERE, headers=HEADERS)), 307, to)
    names = {name for name, _ in hop.request.headers}
    assert names == {"accept", "content-type"} | ({"authorization", "x-key"} if keeps else set())
    assert not hop.first


@pytest.mark.parametrize(
    ("status", "method", "then"),
    [
        (301, "POST", "GET"),
        (302, "POST", "GET"),
        (303, "PUT", "GET"),
        (303, "HEAD", "HEAD"),
        (302, "PUT", "PUT"),
        (307, "POST", "POST"),
        (308, "POST", "POST"),
    ],
)
def test_where_the_method_changes_the_body_stays_behind(status: int, method: str, then: str) -> None:
    request = FetchRequest(HERE, method, HEADERS, b"body")
    found = next_hop(Hop(target_of(HERE), request), status, "/end").request
    changed = then != method
    assert (found.method, found.body) == (then, None if changed else b"body")
    assert any(name == "content-type" for name, _ in found.headers) is not changed
