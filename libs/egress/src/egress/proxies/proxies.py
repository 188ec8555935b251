"""Which proxy a request goes through: by the variables that all programs share.

`HTTP_PROXY`, `HTTPS_PROXY`, `ALL_PROXY` and `NO_PROXY`, in capitals or small letters; small ones count where
both are set, as with curl. This machine and private networks are never asked through one.
"""

from collections.abc import Mapping
from typing import NamedTuple
from urllib.parse import unquote, urlsplit

import msgspec

from agent_contracts.errors import Rejected
from agent_platform.secrecy.known_secrets import KNOWN
from agent_platform.settings.characters import flaw_in_name
from egress.proxies.bypass import ProxyExemption, exemptions, is_at_home, plain_host

_SPOKEN = {
    "http": "http",
    "https": "https",
    "socks": "socks5",
    "socks5": "socks5",
    "socks5h": "socks5",
}
"""Kinds of proxies by the schemes that people write. SOCKS 5 always resolves names at the proxy."""
_PORTS = {"http": 80, "https": 443, "socks5": 1080}
_NAMES = {"http": "HTTP_PROXY", "https": "HTTPS_PROXY", "all": "ALL_PROXY"}


class Proxy(msgspec.Struct, frozen=True):
    """One proxy, and the variable that names it. `url` may hold a password; `shown` doesn't."""

    variable: str
    kind: str
    host: str
    port: int
    user: str | None = None
    password: str = ""

    @property
    def url(self) -> str:
        """Its address without user and password."""
        host = f"[{self.host}]" if ":" in self.host else self.host
        return f"{self.kind}://{host}:{self.port}"

    @property
    def auth(self) -> tuple[str, str] | None:
        """User and password, if it wants any."""
        return None if self.user is None else (self.user, self.password)


class _ProxyVariable(NamedTuple):
    variable: str
    value: str


class ProxyRules(msgspec.Struct, frozen=True):
    """The proxies of this process. `every` is by the scheme of what is asked: `http`, `https`, or `all`."""

    every: Mapping[str, Proxy] = {}
    exempt: tuple[ProxyExemption, ...] = ()

    def towards(self, url: str) -> Proxy | None:
        """The proxy through which this is asked; None: directly."""
        if not self.every:
            return None
        parts = urlsplit(url)
        scheme = parts.scheme.lower()
        try:
            port = parts.port or {"http": 80, "https": 443}.get(scheme, 0)
        except ValueError:
            return None  # whoever asks will say that this is not an address
        return self.at(scheme, parts.hostname or "", port)

    def at(self, scheme: str, host: str, port: int) -> Proxy | None:
        """As `towards`, for a host and a port."""
        proxy = self.every.get(scheme) or self.every.get("all")
        if proxy is None or not host:
            return None
        name, address = plain_host(host)
        if is_at_home(name, address) or any(one.covers(scheme, name, address, port) for one in self.exempt):
            return None
        return proxy


DIRECTLY = ProxyRules()
"""No proxy for anything."""


def proxies_from(environ: Mapping[str, str]) -> ProxyRules:
    """What the variables say. `Rejected` names the variable whose value can't be used."""
    every = {
        scheme: _proxy(found)
        for scheme, name in _NAMES.items()
        if (found := _variable(name, environ)) is not None
    }
    for proxy in every.values():
        if proxy.password:
            KNOWN.learn(proxy.password)
    no_proxy = _variable("NO_PROXY", environ)
    return ProxyRules(every, tuple(exemptions(no_proxy.value)) if no_proxy else ())


def _variable(name: str, environ: Mapping[str, str]) -> _ProxyVariable | None:
    """The one that counts; an empty one in small letters says that there is none."""
    for one in (name.lower(), name):
        if one in environ:
            value = environ[one].strip()
            return _ProxyVariable(one, value) if value else None
    return None


def _proxy(found: _ProxyVariable) -> Proxy:
    text = found.value if "://" in found.value else f"http://{found.value}"
    flaw = flaw_in_name(text)
    if flaw is not None:
        raise _unusable(found, flaw)
    scheme = text.partition("://")[0].lower()
    kind = _SPOKEN.get(scheme)
    if kind is None:
        raise _unusable(found, f"{scheme!r} is none of the kinds of proxy http, https and socks5")
    try:
        parts = urlsplit(text)
        host, port = parts.hostname, parts.port
        user = None if parts.username is None else unquote(parts.username)
        password = unquote(parts.password or "")
    except ValueError:  # whose words may hold a password
        raise _unusable(found, "its address can't be read") from None
    if not host or parts.path.strip("/") or parts.query or parts.fragment:
        raise _unusable(found, "it names no host" if not host else "it has more than a host and a port")
    if port == 0:
        raise _unusable(found, "its port is 0")
    name, _ = plain_host(host)
    if not name.isascii():
        raise _unusable(found, "its host is not a name")
    return Proxy(found.variable, kind, name, port or _PORTS[kind], user, password)


def _unusable(found: _ProxyVariable, why: str) -> Rejected:
    return Rejected(
        f"{found.variable} can't be used as a proxy: {why}. Set it to an address such as "
        "http://host:port or socks5://host:port, or unset it",
        kind="bad_setting",
    )
