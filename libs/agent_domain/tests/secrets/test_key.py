"""The key's file: for its owner alone, made once."""

from pathlib import Path

import pytest

from agent_contracts.errors import Rejected
from agent_domain.secrets.key import FILE, SecretsKey
from agent_domain.secrets.settings import SecretsSettings


def test_it_is_made_once_and_refused_as_soon_as_others_may_read_it(tmp_path: Path) -> None:
    key = SecretsKey(SecretsSettings(data_dir=tmp_path))
    with pytest.raises(Rejected, match="is missing"):
        key.read()
    made = key.read_or_make()
    file = tmp_path / FILE
    assert [one.name for one in tmp_path.iterdir()] == [FILE]
    assert file.stat().st_mode & 0o777 == 0o600
    assert SecretsKey(SecretsSettings(data_dir=tmp_path)).read_or_make() == key.read() == made
    for mode in (0o640, 0o620, 0o610, 0o604, 0o602, 0o601):
        file.chmod(mode)
        with pytest.raises(Rejected, match=f"chmod 600 {file}"):
            key.read()
        with pytest.raises(Rejected, match=f"chmod 600 {file}"):
            key.read_or_make()
    file.chmod(0o400)
    assert key.read() == made
