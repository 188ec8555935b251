"""The data directory and the passwords in it."""

import os
import stat
import subprocess
import sys
from pathlib import Path

import pytest

from agent_contracts.errors import Rejected
from agent_platform.services.embedded.datadir import AlreadyRunning, DataDirectory
from agent_platform.services.embedded.passwords import ensure_passwords

_HOLD_THE_LOCK = """
import pathlib, sys
from agent_platform.services.embedded.datadir import DataDirectory
DataDirectory.open(pathlib.Path(sys.argv[1]))
print("held", flush=True)
sys.stdin.read()
"""


def mode(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


def test_the_folder_is_made_private(tmp_path: Path) -> None:
    path = tmp_path / "some" / "where"
    with DataDirectory.open(path) as data:
        assert mode(path) == 0o700
        assert mode(data.folder("nats")) == 0o700


def test_a_folder_that_others_could_read_is_made_private(tmp_path: Path) -> None:
    tmp_path.chmod(0o755)
    with DataDirectory.open(tmp_path):
        assert mode(tmp_path) == 0o700


def test_a_second_start_is_refused_and_names_the_first(tmp_path: Path) -> None:
    first = subprocess.Popen(
        [sys.executable, "-c", _HOLD_THE_LOCK, str(tmp_path)], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    )
    try:
        assert first.stdout is not None
        assert first.stdout.readline() == b"held\n"
        with pytest.raises(AlreadyRunning, match=rf"process {first.pid}\b") as refused:
            DataDirectory.open(tmp_path)
        assert refused.value.pid == first.pid
        assert isinstance(refused.value, Rejected)
    finally:
        first.communicate(timeout=10)
    DataDirectory.open(tmp_path).close()


def test_a_killed_supervisor_leaves_no_lock(tmp_path: Path) -> None:
    first = subprocess.Popen(
        [sys.executable, "-c", _HOLD_THE_LOCK, str(tmp_path)], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    )
    assert first.stdout is not None
    first.stdout.readline()
    first.kill()
    first.communicate()
    DataDirectory.open(tmp_path).close()


def test_a_start_waits_for_servers_that_outlive_their_supervisor(tmp_path: Path) -> None:
    """What inherited the lock still writes: a second nats-server on the store would destroy it."""
    data = DataDirectory.open(tmp_path)
    server = subprocess.Popen(["sleep", "60"], pass_fds=[data.lock])
    (tmp_path / "lock").write_text("")  # as if the supervisor's process were gone
    data.close()
    with pytest.raises(AlreadyRunning, match="earlier run") as refused:
        DataDirectory.open(tmp_path, patience=0.2)
    assert refused.value.pid is None
    server.kill()
    server.wait()
    DataDirectory.open(tmp_path, patience=10).close()


def test_a_folder_that_cannot_be_made_says_what_to_do(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(Rejected, match="FOLDLINE_DATA_DIR"):
        DataDirectory.open(tmp_path / "file" / "inside")


def test_passwords_are_private_and_stay(tmp_path: Path) -> None:
    file = tmp_path / "passwords.json"
    first = ensure_passwords(file, ["engine", "gateway"])
    assert mode(file) == 0o600
    assert ensure_passwords(file, ["engine", "gateway"]) == first
    values = [*first.nats.values(), first.postgres, first.postgres_admin, first.token]
    assert len(set(values)) == 5
    assert all(len(value) >= 32 for value in values)


def test_a_new_user_gets_a_password_and_the_others_keep_theirs(tmp_path: Path) -> None:
    file = tmp_path / "passwords.json"
    before = ensure_passwords(file, ["engine"])
    after = ensure_passwords(file, ["engine", "scheduler"])
    assert after.nats["engine"] == before.nats["engine"]
    assert after.nats["scheduler"]
    assert after.token == before.token


def test_a_passwords_file_that_others_could_read_is_made_private(tmp_path: Path) -> None:
    file = tmp_path / "passwords.json"
    ensure_passwords(file, [])
    file.chmod(0o644)
    ensure_passwords(file, [])
    assert mode(file) == 0o600


def test_passwords_are_not_shown(tmp_path: Path) -> None:
    passwords = ensure_passwords(tmp_path / "passwords.json", ["engine"])
    assert passwords.token not in repr(passwords)
    assert passwords.nats["engine"] not in repr(passwords)


@pytest.mark.parametrize("content", ["", "{", '{"nats": 3}', "[]"])
def test_a_damaged_passwords_file_is_not_written_over(tmp_path: Path, content: str) -> None:
    file = tmp_path / "passwords.json"
    file.write_text(content)
    with pytest.raises(Rejected, match=r"passwords\.json is damaged"):
        ensure_passwords(file, ["engine"])
    assert file.read_text() == content


def test_the_lock_is_not_passed_on_to_programs_that_do_not_hold_it(tmp_path: Path) -> None:
    with DataDirectory.open(tmp_path) as data:
        assert not os.get_inheritable(data.lock)
