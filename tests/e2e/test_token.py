"""`foldline token rotate` on a running Foldline, of one process and of many, and on one that is stopped."""

import stat
from pathlib import Path

import httpx
import pytest

from foldline_testing.agent_platform.http import NO_TLS
from foldline_testing.product.command import Command
from foldline_testing.product.stack import Stack


def status(url: str, token: str, path: str = "/api/v1/agents") -> int:
    with httpx.Client(verify=NO_TLS, timeout=30) as client:
        return client.get(f"{url}{path}", headers={"Authorization": f"Bearer {token}"}).status_code


@pytest.mark.parametrize("processes", [False, True])
def test_the_old_token_is_refused_and_the_new_one_comes_in(tmp_path: Path, processes: bool) -> None:
    foldline = Command(tmp_path / "data", tmp_path)
    with Stack(tmp_path / "data", processes=processes) as stack:
        with httpx.Client(base_url=stack.url, verify=NO_TLS, follow_redirects=True) as browser:
            assert browser.get(stack.link.removeprefix(stack.url)).status_code == 200
            assert browser.get("/api/v1/agents").status_code == 200
            rotated = foldline("token", "rotate", "--json")
            assert rotated.code == 0, rotated.err
            new = rotated.json["token"]
            assert rotated.json["link"] == f"{stack.url}/login?token={new}"
            assert status(stack.url, stack.token) == 401
            assert status(stack.url, new) == 200
            assert browser.get("/api/v1/agents").status_code == 401, "the login outlived its token"
        assert foldline("send", "hello").code == 0, "the command line has the new one"
        assert stat.S_IMODE((tmp_path / "data/running.json").stat().st_mode) == 0o600
        assert new not in stack.log
        assert "process.died" not in stack.log
    stopped = foldline("token", "rotate")
    assert stopped.code == 0, stopped.err
    last = stopped.out.split()[-1]
    with Stack(tmp_path / "data") as stack:
        assert stack.token == last != new


def test_links_lead_to_where_other_machines_find_it(tmp_path: Path) -> None:
    public = "https://foldline.example.org/foldline"
    foldline = Command(tmp_path / "data", tmp_path)
    with Stack(tmp_path / "data", env={"FOLDLINE_PUBLIC_URL": f"{public}/"}) as stack:
        assert stack.url.startswith("http://127.0.0.1:")
        assert stack.link == f"{public}/login?token={stack.token}"
        rotated = foldline("token", "rotate", "--json")
        assert rotated.json["link"] == f"{public}/login?token={rotated.json['token']}"
        assert foldline("inbox").code == 0, "commands on this machine use the local address"


def test_a_token_that_somebody_set_is_theirs_to_change(tmp_path: Path) -> None:
    refused = Command(tmp_path / "data", tmp_path)("token", "rotate", FOLDLINE_TOKEN="chosen-by-a-person-1")
    assert refused.code == 1
    assert "FOLDLINE_TOKEN" in refused.err
    assert "chosen-by-a-person-1" not in refused.err
    nothing = Command(tmp_path / "data", tmp_path)("token", "rotate")
    assert (nothing.code, "no token yet" in nothing.err) == (1, True)
