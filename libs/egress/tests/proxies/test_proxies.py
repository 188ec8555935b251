"""Which proxy is taken, by the variables that all programs share."""

import pytest

from agent_contracts.errors import Rejected
from agent_platform.secrecy.known_secrets import KNOWN
from egress.proxies.proxies import ProxyRules, proxies_from

PROXY = "http://proxy.example:3128"


def through(url: str, **environ: str) -> str | None:
    """The proxy that this is asked through."""
    found = proxies_from(environ).towards(url)
    return None if found is None else found.url


@pytest.mark.parametrize(
    ("value", "url"),
    [
        ("http://proxy.example:3128", "http://proxy.example:3128"),
        ("proxy.example:3128", "http://proxy.example:3128"),
        (" proxy.example\n", "http://proxy.example:80"),
        ("https://proxy.example", "https://proxy.example:443"),
        ("socks5://127.0.0.1:7890", "socks5://127.0.0.1:7890"),
        ("socks5h://127.0.0.1", "socks5://127.0.0.1:1080"),
        ("socks://127.0.0.1:7890/", "socks5://127.0.0.1:7890"),
        ("SOCKS5://user:p%40ss@127.0.0.1:7890", "socks5://127.0.0.1:7890"),
        ("http://[::1]:8080", "http://[::1]:8080"),
    ],
)
def test_a_proxy_is_written_in_many_ways(value: str, url: str) -> None:
    for variable in ("ALL_PROXY", "all_proxy", "HTTPS_PROXY", "https_proxy"):
        assert through("https://api.example.com/v1", **{variable: value}) == url


def test_user_and_password_go_along_and_are_kept_out_of_texts() -> None:
    proxy = proxies_from({"ALL_PROXY": "socks5://me:p%40ss-w0rd-98@h:1"}).towards("https://a.example.com")
    assert proxy is not None
    assert proxy.auth == ("me", "p@ss-w0rd-98")
    assert "p@ss-w0rd-98" not in KNOWN.text("it said p@ss-w0rd-98")
    assert "w0rd" not in proxy.url


def test_the_scheme_s_own_proxy_comes_before_that_of_all_and_small_letters_before_capitals() -> None:
    environ = {"HTTP_PROXY": "http://h:1", "ALL_PROXY": "http://a:1", "all_proxy": "http://b:1"}
    assert through("http://a.example.com", **environ) == "http://h:1"
    assert through("https://a.example.com", **environ) == "http://b:1"
    assert through("https://a.example.com", HTTPS_PROXY=PROXY, https_proxy="") is None


@pytest.mark.parametrize(
    "url",
    [
        "http://localhost:8420",
        "http://LOCALHOST.:8420",
        "http://app.localhost",
        "http://127.0.0.1:11434",
        "http://127.8.9.1",
        "http://0.0.0.0:1",
        "http://[::1]:8420",
        "http://[::ffff:127.0.0.1]:1",
        "http://[fe80::1]",
        "http://[fd12::7]:1",
        "http://10.1.2.3",
        "http://172.20.0.3:8000",
        "http://192.168.1.10:1234",
        "http://100.101.102.103",
        "http://169.254.1.1",
        "http://ollama:11434",
        "http://box.local",
        "http://host.docker.internal:11434",
    ],
)
def test_this_machine_and_private_networks_are_never_asked_through_a_proxy(url: str) -> None:
    assert through(url, ALL_PROXY=PROXY, HTTP_PROXY=PROXY) is None
    assert through("http://8.8.8.8", ALL_PROXY=PROXY) == PROXY
    assert through("http://172.32.0.1", ALL_PROXY=PROXY) == PROXY


@pytest.mark.parametrize(
    ("no_proxy", "direct", "proxied"),
    [
        ("*", ["https://a.example.com", "http://8.8.8.8"], []),
        ("example.com", ["https://example.com", "https://api.example.com"], ["https://notexample.com"]),
        (".example.com", ["https://api.example.com"], ["https://notexample.com", "https://example.com.org"]),
        ("*.example.com", ["https://a.b.example.com"], ["https://notexample.com"]),
        ("EXAMPLE.com.", ["https://api.Example.COM."], []),
        ("api-*.example.com", ["https://api-1.example.com"], ["https://web.example.com"]),
        ("bücher.example", ["https://xn--bcher-kva.example", "https://a.bücher.example"], []),
        ("example.com:8443", ["https://example.com:8443"], ["https://example.com"]),
        ("example.com:443", ["https://example.com"], ["http://example.com"]),
        ("https://example.com", ["https://example.com"], ["http://example.com"]),
        ("8.8.0.0/16", ["http://8.8.8.8"], ["http://8.9.8.8", "http://dns.google"]),
        ("8.8.8.8", ["http://8.8.8.8"], ["http://8.8.8.80"]),
        ("8.8.8.8:53", ["http://8.8.8.8:53"], ["http://8.8.8.8"]),
        ("2001:4860::/32", ["http://[2001:4860:4860::8888]"], ["http://[2607:f8b0::1]"]),
        ("[2001:4860::/32]", ["http://[2001:4860:4860::8888]"], ["http://[2607:f8b0::1]"]),
        ("[2607:f8b0::1]", ["http://[2607:f8b0:0::1]:9"], ["http://[2607:f8b0::2]"]),
        ("2607:f8b0::1", ["http://[2607:f8b0::1]"], ["http://[2607:f8b0::2]"]),
        ("[2607:f8b0::1]:443", ["https://[2607:f8b0::1]"], ["http://[2607:f8b0::1]"]),
        ("localhost,[::1], a.org b.org;c.org", ["http://a.org", "http://b.org", "http://c.org"], ["http://d.org"]),
        (",, ,[,:,/,8.8.8.8/99,://", [], ["http://8.8.8.8"]),
    ],
)  # fmt: skip
def test_no_proxy_has_many_forms(no_proxy: str, direct: list[str], proxied: list[str]) -> None:
    for name in ("NO_PROXY", "no_proxy"):
        for url in direct:
            assert through(url, ALL_PROXY=PROXY, **{name: no_proxy}) is None, url
        for url in proxied:
            assert through(url, ALL_PROXY=PROXY, **{name: no_proxy}) == PROXY, url


@pytest.mark.parametrize(
    ("value", "why"),
    [
        ("socks4://127.0.0.1:1", "'socks4' is none of the kinds of proxy"),
        ("ftp://127.0.0.1:1", "'ftp' is none of the kinds of proxy"),
        ("http://", "it names no host"),
        ("http://:8080", "it names no host"),
        ("http://h:99999", "its address can't be read"),
        ("http://h:port", "its address can't be read"),
        ("http://h:0", "its port is 0"),
        ("http://[::1", "its address can't be read"),
        ("http://h:1/path", "it has more than a host and a port"),
        ("http://h h:1", "U+0020 (SPACE)"),
        ("http://h\u200b:1", "U+200B (ZERO WIDTH SPACE)"),
        ("“http://h:1”", "U+201C (LEFT DOUBLE QUOTATION MARK)"),
    ],
)
def test_a_value_that_can_not_be_used_is_one_sentence_with_its_variable(value: str, why: str) -> None:
    for name in ("HTTP_PROXY", "https_proxy", "ALL_PROXY"):
        with pytest.raises(Rejected) as raised:
            proxies_from({name: value})
        assert raised.value.message.startswith(f"{name} can't be used as a proxy: ")
        assert why in raised.value.message
        assert "\n" not in raised.value.message


def test_a_password_is_not_in_the_sentence() -> None:
    with pytest.raises(Rejected) as raised:
        proxies_from({"HTTP_PROXY": "http://me:pa/ss@h:1"})
    assert "pa" not in raised.value.message.removeprefix("HTTP_PROXY can't be used as a proxy")[:40]


def test_without_a_variable_everything_is_asked_directly() -> None:
    assert proxies_from({"HTTP_PROXY": "", "PATH": "x"}) == ProxyRules()
    assert through("http://a.example.com", PATH="x") is None
