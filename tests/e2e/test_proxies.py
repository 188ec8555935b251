"""Foldline behind nginx and Caddy, by the configuration of the page: a path, TLS, streams, who asks."""

import json
import re
import subprocess
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import NamedTuple

import httpx
import pytest

from agent_platform.services.embedded.ports import free_port
from foldline_testing.product.debian_programs import program
from foldline_testing.product.stack import Stack

PAGE = Path(__file__).parents[2] / "docs/operate/proxy.md"
NAME = "foldline.example.org"
_PATIENCE_S = 30.0


class Proxied(NamedTuple):
    """A Foldline behind a proxy: by the page's configuration, and by one that hides who asks."""

    stack: Stack
    port: int
    hiding_port: int

    def client(self, address: str = "127.0.0.1", *, hiding: bool = False) -> httpx.Client:
        """A client of this address on the loopback network, which asks for the page's name."""
        port = self.hiding_port if hiding else self.port
        return httpx.Client(
            base_url=f"https://127.0.0.1:{port}/foldline",
            headers={"Host": f"{NAME}:{port}"},
            transport=httpx.HTTPTransport(verify=False, local_address=address),
            timeout=20,
        )


def on_page(language: str) -> str:
    """The page's configuration of one proxy."""
    (block,) = re.findall(rf"```{language}\n(.*?)```", PAGE.read_text(), re.DOTALL)
    return str(block)


def nginx(found: Proxied, folder: Path) -> list[str]:
    """Write its configuration; the arguments by which it starts."""
    certificate = ("openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-subj", f"/CN={NAME}")
    files = ("-keyout", f"{folder}/foldline.key", "-out", f"{folder}/foldline.pem")
    subprocess.run([*certificate, *files], check=True, capture_output=True, timeout=60)
    block = on_page("nginx").replace("/etc/ssl/", f"{folder}/")
    block = block.replace("http://127.0.0.1:8420/", f"{found.stack.url}/")
    hiding = re.sub(r".*X-Forwarded-(For|Proto).*\n", "", block)
    servers = "".join(
        one.replace("listen 443", f"listen 127.0.0.1:{at}")
        for one, at in ((block, found.port), (hiding, found.hiding_port))
    )
    kinds = ("client_body", "proxy", "fastcgi", "uwsgi", "scgi")
    kept = " ".join(f"{kind}_temp_path {folder}/{kind};" for kind in kinds)
    (folder / "nginx.conf").write_text(
        f"daemon off; pid {folder}/pid; error_log {folder}/said; events {{}}\n"
        f"http {{ access_log off; {kept}\n{servers}}}\n"
    )
    return ["-c", f"{folder}/nginx.conf", "-e", f"{folder}/said"]


def caddy(found: Proxied, folder: Path) -> list[str]:
    """Write its configuration, with certificates of its own making; the arguments by which it starts."""
    block = on_page("caddyfile").replace("127.0.0.1:8420", found.stack.url.removeprefix("http://"))
    hiding = re.sub(
        r"( +)header_up .*\n", r"\g<0>\1header_up -X-Forwarded-For\n\1header_up -X-Forwarded-Proto\n", block
    )
    sites = "".join(
        one.replace(f"{NAME} {{", f"{NAME}:{at} {{\n    bind 127.0.0.1\n    tls internal")
        for one, at in ((block, found.port), (hiding, found.hiding_port))
    )
    ours = "admin off\nskip_install_trust\nauto_https disable_redirects"
    (folder / "Caddyfile").write_text(
        f"{{\n{ours}\nstorage file_system {folder}/kept\ndefault_sni {NAME}\n}}\n{sites}"
    )
    return ["run", "--config", f"{folder}/Caddyfile", "--adapter", "caddyfile"]


@pytest.fixture(scope="module", params=[nginx, caddy], ids=lambda one: one.__name__)
def proxied(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Proxied]:
    written: Callable[[Proxied, Path], list[str]] = request.param
    name = written.__name__
    executable = program(name)
    if executable is None:
        pytest.skip(f"no {name}: make proxies")
    folder = tmp_path_factory.mktemp(name)
    env = {
        "FOLDLINE_ALLOWED_HOSTS": NAME,
        "FOLDLINE_PUBLIC_URL": f"https://{NAME}/foldline",
    }
    with Stack(folder / "data", env=env) as stack, (folder / "said").open("ab") as said:
        found = Proxied(stack, free_port(), free_port())
        words = [executable, *written(found, folder)]
        running = subprocess.Popen(words, stdout=said, stderr=said, env={"HOME": str(folder)})
        try:
            deadline = time.monotonic() + _PATIENCE_S
            while True:
                try:
                    with found.client() as client:
                        assert client.get("/healthz").status_code == 200
                    break
                except httpx.TransportError:
                    assert time.monotonic() < deadline, (folder / "said").read_text()
                    time.sleep(0.1)
            yield found
        finally:
            running.terminate()
            running.wait(20)


def offered(client: httpx.Client, token: str) -> int:
    return client.get("/api/v1/agents", headers={"Authorization": f"Bearer {token}"}).status_code


def test_one_logs_in_below_the_path_and_the_cookie_is_for_it_alone(proxied: Proxied) -> None:
    with proxied.client("127.0.0.5") as browser:
        login = browser.get("/login", params={"token": proxied.stack.token})
        assert login.status_code == 303
        assert login.url.join(login.headers["location"]).path == "/foldline/"
        cookie = login.headers["set-cookie"].lower()
        assert "path=/foldline/" in cookie
        assert "secure" in cookie
        sent = {"Cookie": login.headers["set-cookie"].partition(";")[0]}
        assert browser.get("/api/v1/agents", headers=sent).status_code == 200
        logins = browser.get("/api/v1/logins", headers=sent).json()["items"]
        assert [one["address"] for one in logins] == ["127.0.0.5"], "who asked is known"


def test_the_checks_that_the_page_names_tell_right_from_wrong(proxied: Proxied) -> None:
    asked = re.findall(r"https://foldline\.example\.org/foldline(/\S+) +# (\d+)", PAGE.read_text())
    assert len(asked) == 2
    with proxied.client() as client:
        for path, status in asked:
            assert client.get(path).status_code == int(status), path


def test_a_stream_comes_as_it_happens(proxied: Proxied) -> None:
    authorized = {"Authorization": f"Bearer {proxied.stack.token}"}
    with proxied.client() as client:
        session = client.post("/api/v1/sessions", json={}, headers=authorized).json()["id"]
        params = {"session_id": session, "after": "0"}
        with client.stream("GET", "/api/v1/events", params=params, headers=authorized) as stream:
            lines = stream.iter_lines()
            assert any(line.startswith("id:") for line in lines), "the first event came"
            with proxied.client() as other:
                said = {"text": "hello"}
                path = f"/api/v1/sessions/{session}/messages"
                assert other.post(path, json=said, headers=authorized).status_code < 300
            kinds = []
            for line in lines:
                if line.startswith("data:") and "user_message" in line:
                    kinds.append(json.loads(line.removeprefix("data:")))
                    break
        assert kinds, "the stream goes on, and what was said came"


def test_ten_wrong_tokens_of_one_client_lock_out_that_client_alone(proxied: Proxied) -> None:
    with proxied.client("127.0.0.2") as wrong, proxied.client("127.0.0.3") as other:
        assert [offered(wrong, f"wrong-token-number-{n}") for n in range(10)] == [401] * 10
        assert offered(wrong, "one-wrong-token-more") == 429
        assert offered(other, "a-wrong-token-of-another") == 401
        assert offered(other, proxied.stack.token) == 200
        assert offered(wrong, proxied.stack.token) == 200, "the right one always passes"


def test_a_client_can_not_say_that_it_is_another(proxied: Proxied) -> None:
    with proxied.client("127.0.0.4") as wrong:
        for number in range(10):
            wrong.headers["X-Forwarded-For"] = f"192.0.2.{number}"
            assert offered(wrong, f"wrong-again-number-{number}") == 401
        wrong.headers["X-Forwarded-For"] = "192.0.2.99"
        assert offered(wrong, "one-wrong-token-more") == 429


def test_a_proxy_that_hides_who_asks_is_warned_about_once(proxied: Proxied) -> None:
    assert "door.proxy_hides_addresses" not in proxied.stack.log
    with proxied.client(hiding=True) as client:
        assert offered(client, proxied.stack.token) == 200
        assert offered(client, proxied.stack.token) == 200
    assert proxied.stack.log.count("door.proxy_hides_addresses") == 1


def test_another_name_is_refused(proxied: Proxied) -> None:
    with proxied.client() as client:
        client.headers.update({"Host": "evil.example.org", "Authorization": f"Bearer {proxied.stack.token}"})
        answer = client.get("/api/v1/agents")
    assert answer.status_code == 403 or answer.content == b"", "Caddy answers itself, and with nothing"
