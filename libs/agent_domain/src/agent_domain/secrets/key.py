"""The key of the secrets: a setting, or a file in the data directory that is made when it is first needed."""

import base64
import binascii
import codecs
import os
import stat
from pathlib import Path

from agent_contracts.errors import Rejected
from agent_domain.secrets.settings import SecretsSettings

_BYTES = 32
FILE = "secrets.key"


class SecretsKey:
    """Where the key is found. Nothing is read or made before it is needed."""

    def __init__(self, settings: SecretsSettings) -> None:
        self._given = settings.secrets_key
        self._file = settings.data_dir / FILE

    def read(self) -> bytes:
        """The key. `Rejected` if there is none, it is none of ours, or others than its owner may read it."""
        if self._given is not None:
            return _decoded(self._given.get_secret_value(), "FOLDLINE_SECRETS_KEY")
        try:
            mode = stat.S_IMODE(self._file.stat().st_mode)
            text = self._file.read_bytes().removeprefix(codecs.BOM_UTF8).decode("latin-1")
        except FileNotFoundError as error:
            raise Rejected(
                f"The secrets can't be read here: {self._file} is missing. Services that run apart need "
                "the same FOLDLINE_SECRETS_KEY; if the file is lost, set the secrets anew",
                kind="no_secrets_key",
            ) from error
        except OSError as error:
            message = f"The secrets can't be read here: {self._file}: {error.strerror}"
            raise Rejected(message, kind="no_secrets_key") from error
        if mode & 0o077:
            raise Rejected(
                f"The secrets can't be used: others may read {self._file} (its mode is {mode:04o}). Run "
                f"chmod 600 {self._file}; if somebody may have read it, remove it and set the secrets anew",
                kind="no_secrets_key",
            )
        return _decoded(text, str(self._file))

    def read_or_make(self) -> bytes:
        """As `read`; where no key was given or made yet, one is made, readable by its owner alone. `Rejected`
        also where none can be made."""
        if self._given is None:
            try:
                _make(self._file)
            except OSError as error:
                raise Rejected(
                    f"No key for the secrets can be made at {self._file}: {error.strerror}. Nothing was "
                    "kept. Make room, or a folder that Foldline may write to; or set FOLDLINE_SECRETS_KEY",
                    kind="no_secrets_key",
                ) from error
        return self.read()


def new_key() -> str:
    """A key as the setting and the file hold it."""
    return base64.b64encode(os.urandom(_BYTES)).decode()


def _make(file: Path) -> None:
    """Whole or not at all; of two at the same time one wins."""
    if file.exists():
        return
    draft = file.with_name(f"{file.name}.{os.getpid()}")
    try:
        handle = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
        with os.fdopen(handle, "w") as out:
            out.write(new_key())
            out.flush()
            os.fsync(out.fileno())
        os.link(draft, file)
    except FileExistsError:
        return
    finally:
        draft.unlink(missing_ok=True)


def _decoded(text: str, where: str) -> bytes:
    try:
        key = base64.b64decode(text.strip(), validate=True)
    except (binascii.Error, ValueError) as error:
        raise Rejected(f"{where} does not hold a key: it must be base64", kind="no_secrets_key") from error
    if len(key) != _BYTES:
        raise Rejected(
            f"{where} does not hold a key: it must be {_BYTES} bytes in base64", kind="no_secrets_key"
        )
    return key
