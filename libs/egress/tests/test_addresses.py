"""Which addresses may be dialled, and which URLs lead to one."""

from ipaddress import ip_address

import pytest

from agent_contracts.errors import Rejected
from egress.addresses import Reach, reach_of
from egress.rules import EgressRules, rules_from
from egress.settings import EgressSettings
from egress.targets import target_of

PUBLIC = """
    1.1.1.1 93.184.216.34 172.32.0.1 192.167.255.255 100.128.0.1 223.255.255.255 2606:4700::1111
    2a00:1450:4001:800::200e 2400:cb00::1
""".split()  # noqa: SIM905
PRIVATE = """
    10.0.0.1 127.0.0.1 127.255.255.255 172.16.0.1 172.31.255.255 192.168.1.1 100.64.0.1 ::1 fc00::1
    fd12:3456::1
""".split()  # noqa: SIM905
FORBIDDEN = """
    0.0.0.0 0.1.2.3 169.254.169.254 169.254.170.2 192.0.0.192 192.0.2.1 192.88.99.1 198.18.0.1
    198.19.255.255 198.51.100.7 203.0.113.7 224.0.0.1 239.255.255.255 240.0.0.1 255.255.255.255
    100.100.100.200 168.63.129.16 :: ::127.0.0.1 ::ffff:127.0.0.1 ::ffff:1.1.1.1 ::ffff:0:127.0.0.1
    64:ff9b::7f00:1 64:ff9b::1.1.1.1 64:ff9b:1::a00:1 100::1 2001::1 2001:0:4136:e378:8000:63bf:3fff:fdd2
    2001:2::1 2001:10::1 2001:db8::1 2002:7f00:1:: 2002:a00:1::1 3fff::1 3ffe::1 5f00::1 fd00:ec2::254
    fd20:ce::254 fe80::1 fe80::1%eth0 fec0::1 ff02::1 ff0e::1
""".split()  # noqa: SIM905


@pytest.mark.parametrize(
    ("text", "reach"),
    [*((one, Reach.PUBLIC) for one in PUBLIC), *((one, Reach.PRIVATE) for one in PRIVATE),
     *((one, Reach.FORBIDDEN) for one in FORBIDDEN)],
)  # fmt: skip
def test_an_address_leads_where_its_number_says(text: str, reach: Reach) -> None:
    assert reach_of(ip_address(text)) is reach


def test_what_the_standard_library_calls_not_global_is_never_public() -> None:
    first = [ip_address(f"{a}.{b}.1.1") for a in range(256) for b in (0, 18, 51, 64, 88, 100, 168, 254)]
    for address in first:
        assert address.is_global or reach_of(address) is not Reach.PUBLIC


RULES = EgressRules(
    frozenset({"nas.lan", "box.lan:8080"}),
    (),
    frozenset({("127.0.0.1", 7422), ("nats.example.org", 7422), ("2.2.2.2", 7432)}),
)


@pytest.mark.parametrize(
    ("host", "port", "address", "allowed"),
    [
        ("example.org", 443, "1.1.1.1", True),
        ("example.org", 443, "10.0.0.1", False),
        ("nas.lan", 443, "10.0.0.1", True),
        ("nas.lan", 443, "169.254.169.254", False),
        ("nas.lan", 443, "fd00:ec2::254", False),
        ("nas.lan", 7422, "127.0.0.1", False),
        ("nas.lan", 7422, "10.0.0.1", False),
        ("box.lan", 8080, "192.168.0.2", True),
        ("box.lan", 80, "192.168.0.2", False),
        ("nats.example.org", 7422, "1.1.1.1", False),
        ("example.org", 7422, "1.1.1.1", True),
        ("db.example.org", 7432, "2.2.2.2", False),
        ("2.2.2.2", 7432, "2.2.2.2", False),
        ("db.example.org", 443, "2.2.2.2", True),
    ],
)
def test_an_operator_opens_private_hosts_but_never_our_own_servers(
    host: str, port: int, address: str, allowed: bool
) -> None:
    assert (RULES.refusal(host, port, ip_address(address)) is None) is allowed


def test_the_rules_follow_from_the_settings() -> None:
    rules = rules_from(
        EgressSettings(
            egress_private_hosts="nas.lan, [::1]:81,10.1.0.0/16",
            nats_url="nats://user:pw@127.0.0.1:7001",
            port=7003,
            egress_refused_hosts="localhost:7002,127.0.0.1:7004, [::1]:7005",
        )
    )
    ours = {("127.0.0.1", 7001), ("localhost", 7002), ("127.0.0.1", 7003)}
    assert rules.own == ours | {("127.0.0.1", 7004), ("::1", 7005)}
    assert rules.refusal("nas.lan", 7004, ip_address("10.9.9.9")) is not None
    assert rules.refusal("nas.lan", 80, ip_address("10.9.9.9")) is None
    assert rules.refusal("::1", 81, ip_address("::1")) is None
    assert rules.refusal("else.lan", 80, ip_address("10.1.2.3")) is None
    assert rules.refusal("nas.lan", 7002, ip_address("127.0.0.1")) is not None
    with pytest.raises(Rejected, match="EGRESS_PRIVATE_HOSTS"):
        rules_from(EgressSettings(egress_private_hosts="10.1.0.7/16"))
    for wrong in ("nas.lan", "nas.lan:http", ":80"):
        with pytest.raises(Rejected, match="EGRESS_REFUSED_HOSTS"):
            rules_from(EgressSettings(egress_refused_hosts=wrong))


@pytest.mark.parametrize(
    ("url", "kind"),
    [
        ("ftp://example.org/", "blocked"),
        ("file:///etc/passwd", "blocked"),
        ("gopher://127.0.0.1:6379/_x", "blocked"),
        ("data:text/plain,x", "blocked"),
        ("javascript:alert(1)", "blocked"),
        ("ws://example.org/", "blocked"),
        ("blob:https://example.org/x", "blocked"),
        ("unix:///run/x.sock", "blocked"),
        ("http+unix://%2Frun%2Fx.sock/", "blocked"),
        ("view-source:http://example.org/", "blocked"),
        ("http://example.org:80@127.0.0.1/", "blocked"),
        ("http://example.org../", "invalid_arguments"),
        ("http://[::ffff:127.0.0.1", "invalid_arguments"),
        ("http://example.org:-1/", "invalid_arguments"),
        ("http://example.org:80:80/", "invalid_arguments"),
        ("http://example.org\r\nX: y/", "invalid_arguments"),
        ("http://example.org/\r\nX: y", "invalid_arguments"),
        ("http://example.org\t/", "invalid_arguments"),
        ("http://exa\u00admple.org/", "invalid_arguments"),
        ("http://\u2460\u2461\u2466.0.0.1/", "invalid_arguments"),
        ("example.org", "blocked"),
        ("//example.org/", "blocked"),
        ("http://user@example.org/", "blocked"),
        ("http://user:pw@example.org/", "blocked"),
        ("http://a.test\\@127.0.0.1/", "blocked"),
        ("http://", "invalid_arguments"),
        ("http:///path", "invalid_arguments"),
        ("http://exa\u200bmple.org/", "invalid_arguments"),
        ("http://１２７.0.0.1/", "invalid_arguments"),
        ("http://127.0.0.1%2f/", "invalid_arguments"),
        ("http://{{secret:X}}.org/", "invalid_arguments"),
        ("http://a b/", "invalid_arguments"),
        ("http://a..b/", "invalid_arguments"),
        ("http://[::1/", "invalid_arguments"),
        ("http://256.1.1.1/", "invalid_arguments"),
        ("http://example.org:0/", "invalid_arguments"),
        ("http://example.org:99999/", "invalid_arguments"),
        ("http://a\n.org/", "invalid_arguments"),
        ("http://" + "a" * 70000, "invalid_arguments"),
    ],
)
def test_what_is_no_plain_http_address_is_refused(url: str, kind: str) -> None:
    with pytest.raises(Rejected) as refused:
        target_of(url)
    assert refused.value.kind == kind


@pytest.mark.parametrize(
    ("url", "host", "port", "path"),
    [
        ("http://Example.ORG", "example.org", 80, "/"),
        ("https://example.org./a?b=c#d", "example.org", 443, "/a?b=c"),
        ("http://bücher.example:81/ü", "xn--bcher-kva.example", 81, "/%C3%BC"),
        ("http://[2606:4700::1111]:8443/", "2606:4700::1111", 8443, "/"),
        ("http://127。0。0。1/", "127.0.0.1", 80, "/"),
        ("http://0x7f.1/", "0x7f.1", 80, "/"),
        ("http://2130706433/", "2130706433", 80, "/"),
    ],
)
def test_a_url_is_read_in_one_way(url: str, host: str, port: int, path: str) -> None:
    target = target_of(url)
    assert (target.host, target.port, target.path) == (host, port, path)


def test_the_port_that_says_how_we_are_is_ours_too() -> None:
    rules = rules_from(EgressSettings(egress_private_hosts="127.0.0.0/8", port=7003, health_port=7010))
    assert ("127.0.0.1", 7010) in rules.own
    assert rules.refusal("localhost", 7010, ip_address("127.0.0.1")) is not None
    assert rules.refusal("localhost", 7011, ip_address("127.0.0.1")) is None
