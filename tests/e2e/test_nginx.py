"""Behind nginx, by the configuration that `docs/operate/proxy.md` shows: a path, TLS, streams, who asks."""

import json
import re
import shutil
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import httpx
import pytest

from agent_platform.services.embedded.ports import free_port
from foldline_testing.product.stack import Stack

PAGE = Path(__file__).parents[2] / "docs/operate/proxy.md"
NAME = "foldline.example.org"
_PATIENCE_S = 30.0

pytestmark = pytest.mark.skipif(shutil.which("nginx") is None, reason="no nginx: make .make/nginx")


class Proxied(NamedTuple):
    """A Foldline behind nginx: by the page's configuration, and by one that hides who asks."""

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


def configuration() -> str:
    """The `server` block of the page."""
    (block,) = re.findall(r"```nginx\n(.*?)```", PAGE.read_text(), re.DOTALL)
    return str(block)


@pytest.fixture(scope="module")
def proxied(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Proxied]:
    folder = tmp_path_factory.mktemp("nginx")
    certificate = ("openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-subj", f"/CN={NAME}")
    files = ("-keyout", f"{folder}/foldline.key", "-out", f"{folder}/foldline.pem")
    subprocess.run([*certificate, *files], check=True, capture_output=True, timeout=60)
    env = {
        "FOLDLINE_ALLOWED_HOSTS": NAME,
        "FOLDLINE_PUBLIC_URL": f"https://{NAME}/foldline",
    }
    with Stack(folder / "data", env=env) as stack:
        port, hiding_port = free_port(), free_port()
        block = configuration().replace("/etc/ssl/", f"{folder}/")
        block = block.replace("http://127.0.0.1:8420/", f"{stack.url}/")
        hiding = re.sub(r".*X-Forwarded-(For|Proto).*\n", "", block)
        servers = "".join(
            one.replace("listen 443", f"listen 127.0.0.1:{at}")
            for one, at in ((block, port), (hiding, hiding_port))
        )
        kinds = ("client_body", "proxy", "fastcgi", "uwsgi", "scgi")
        kept = " ".join(f"{kind}_temp_path {folder}/{kind};" for kind in kinds)
        (folder / "nginx.conf").write_text(
            f"daemon off; pid {folder}/pid; error_log {folder}/error.log; events {{}}\n"
            f"http {{ access_log off; {kept}\n{servers}}}\n"
        )
        running = subprocess.Popen(["nginx", "-c", f"{folder}/nginx.conf", "-e", f"{folder}/error.log"])
        try:
            found = Proxied(stack, port, hiding_port)
            deadline = time.monotonic() + _PATIENCE_S
            while True:
                try:
                    with found.client() as client:
                        assert client.get("/healthz").status_code == 200
                    break
                except httpx.TransportError:
                    assert time.monotonic() < deadline, (folder / "error.log").read_text()
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
        client.headers["Host"] = "evil.example.org"
        assert offered(client, proxied.stack.token) == 403
