"""Secrets over HTTP: a value goes in, and is found nowhere after that."""

import base64
from pathlib import Path
from typing import Any

import pytest
import structlog
from pydantic import SecretStr

from agent_contracts.errors import Rejected
from agent_contracts.log.subjects import SECRETS_BUCKET
from agent_domain.secrets.key import SecretsKey, new_key
from agent_domain.secrets.settings import SecretsSettings
from agent_domain.secrets.vault import Vault
from agent_platform.log.bucket import bucket
from foldline_testing.gateway.running import AGENT, RunningGateway

PATH = "/api/v1/agents/default/secrets"
CANARY = "canary-0123456789"


async def test_a_secret_is_set_listed_by_name_and_deleted_and_its_value_is_nowhere(
    gateway: RunningGateway,
) -> None:
    with structlog.testing.capture_logs() as logs:
        for version in (1, 2):
            put = await gateway.client.put(
                f"{PATH}/TOKEN", json={"value": CANARY, "hosts": ["API.example.org"]}
            )
            assert (put.status_code, put.json()["version"], put.json()["actor"]) == (200, version, "user")
        listed = await gateway.client.get(PATH)
    (one,) = listed.json()["items"]
    assert (one["name"], one["hosts"], one["reveal"]) == ("TOKEN", ["api.example.org"], False)
    kept = await bucket(gateway.connection, SECRETS_BUCKET).list()
    stored = [message.data async for message in gateway.log.read(">")] + [e.value for e in kept.values()]
    assert kept.keys() == {"default.TOKEN"}
    for spelling in (CANARY.encode(), base64.b64encode(CANARY.encode())):
        assert not any(spelling in data for data in stored)
    assert CANARY not in put.text + listed.text + repr(logs)
    assert await gateway.vault.get(AGENT, "TOKEN") == CANARY
    assert (await gateway.client.delete(f"{PATH}/TOKEN")).json()["deleted"] is True
    assert (await gateway.client.delete(f"{PATH}/TOKEN")).json()["deleted"] is False
    assert (await gateway.client.get(PATH)).json() == {"items": [], "next_cursor": None}
    with pytest.raises(Rejected, match="no value"):
        await gateway.vault.get(AGENT, "TOKEN")


@pytest.mark.parametrize(
    ("name", "body"),
    [
        ("token", {"value": CANARY, "hosts": ["a.org"]}),
        ("TOKEN", {"value": "short", "hosts": ["a.org"]}),
        ("TOKEN", {"value": CANARY, "hosts": []}),
        ("TOKEN", {"value": CANARY, "hosts": ["https://a.org/"]}),
        ("TOKEN", {"value": CANARY, "hosts": ["a.org:8443"]}),
        ("TOKEN", {"value": CANARY, "hosts": ["*"]}),
        ("TOKEN", {"value": CANARY, "hosts": ["*.org"]}),
        ("TOKEN", {"value": f"{CANARY}\r\nHost: b", "hosts": ["a.org"]}),
    ],
)
async def test_what_can_be_no_secret_is_refused_without_repeating_it(
    gateway: RunningGateway, name: str, body: dict[str, Any]
) -> None:
    answer = await gateway.client.put(f"{PATH}/{name}", json=body)
    assert answer.status_code == 422 or answer.json()["kind"] == "invalid_request"
    assert CANARY not in answer.text


@pytest.mark.parametrize("value", [f"\ufeff {CANARY}\r\n", f"{CANARY[:6]}\u200b{CANARY[6:]}"])
async def test_what_copying_adds_is_taken_from_a_secret(gateway: RunningGateway, value: str) -> None:
    put = await gateway.client.put(f"{PATH}/TOKEN", json={"value": value, "hosts": ["a.org"]})
    assert put.status_code == 200
    assert await gateway.vault.get(AGENT, "TOKEN") == CANARY


@pytest.mark.parametrize(
    ("value", "named"),
    [
        (f"“{CANARY}”", "character 1 of 19 is U+201C (LEFT DOUBLE QUOTATION MARK)"),
        (f"{CANARY}\u00a0x", "character 18 of 19 is U+00A0 (NO-BREAK SPACE)"),
        (f"{CANARY}ł", "character 18 of 18 is U+0142 (LATIN SMALL LETTER L WITH STROKE)"),
        (f"{CANARY}\nx", "character 18 of 19 is U+000A (a control character)"),
    ],
)
async def test_a_character_that_can_t_be_sent_is_named(
    gateway: RunningGateway, value: str, named: str
) -> None:
    put = await gateway.client.put(f"{PATH}/TOKEN", json={"value": value, "hosts": ["a.org"]})
    assert put.json()["kind"] == "invalid_request"
    assert named in put.json()["detail"]
    assert CANARY not in put.text


async def test_a_secret_may_have_accents_and_blanks_within(gateway: RunningGateway) -> None:
    await gateway.client.put(f"{PATH}/TOKEN", json={"value": "pässword of 3 words", "hosts": ["a.org"]})
    assert await gateway.vault.get(AGENT, "TOKEN") == "pässword of 3 words"


async def test_a_value_is_bound_to_its_name_and_to_the_key(gateway: RunningGateway, tmp_path: Path) -> None:
    kept = bucket(gateway.connection, SECRETS_BUCKET)
    await gateway.vault.put(AGENT, "A", CANARY)
    entry = await kept.get("default.A")
    assert entry is not None
    await kept.put("default.B", entry.value)
    with pytest.raises(Rejected, match="another key"):
        await gateway.vault.get(AGENT, "B")
    other = Vault(kept, SecretsKey(SecretsSettings(secrets_key=SecretStr(new_key()))))
    with pytest.raises(Rejected, match="another key"):
        await other.get(AGENT, "A")


def test_a_key_that_can_t_be_made_is_told(tmp_path: Path) -> None:
    with pytest.raises(Rejected, match=r"nowhere/secrets\.key: No such file") as refused:
        SecretsKey(SecretsSettings(data_dir=tmp_path / "nowhere")).read_or_make()
    assert refused.value.kind == "no_secrets_key"


def test_the_key_is_made_once_and_readable_by_its_owner_alone(tmp_path: Path) -> None:
    key = SecretsKey(SecretsSettings(data_dir=tmp_path))
    with pytest.raises(Rejected, match=r"secrets\.key is missing"):
        key.read()
    made = key.read_or_make()
    assert SecretsKey(SecretsSettings(data_dir=tmp_path)).read_or_make() == made == key.read()
    assert [file.name for file in tmp_path.iterdir()] == ["secrets.key"]
    assert (tmp_path / "secrets.key").stat().st_mode & 0o777 == 0o600
    for mode in (0o640, 0o604, 0o666):
        (tmp_path / "secrets.key").chmod(mode)
        with pytest.raises(Rejected, match=f"chmod 600 {tmp_path}/secrets.key"):
            key.read_or_make()
    (tmp_path / "secrets.key").chmod(0o600)
    (tmp_path / "secrets.key").write_bytes(b"\xff\x00")
    with pytest.raises(Rejected, match=r"secrets\.key does not hold a key"):
        key.read()
    for wrong in ("not-base64!", "c2hvcnQ="):
        with pytest.raises(Rejected, match="FOLDLINE_SECRETS_KEY"):
            SecretsKey(SecretsSettings(secrets_key=SecretStr(wrong))).read()
