"""What this process was told at its start, of all settings that there are."""

from collections.abc import Mapping

import msgspec

from agent_contracts.api.settings import OperatorSetting
from agent_domain.personal.values import NAMES
from agent_platform.settings.rows import SettingRow
from agent_platform.settings.sources import SettingsError, variable

_BY_VARIABLE = {variable(name): name for name in NAMES}


class SettingRows(msgspec.Struct, frozen=True):
    """Rows of settings by variable, in their order."""

    rows: Mapping[str, SettingRow]

    @classmethod
    def by(cls, declared: str | None) -> "SettingRows":
        """Those that whoever started the process wrote down as JSON. `SettingsError` for anything else."""
        if declared is None:
            return cls({})
        try:
            rows = msgspec.json.decode(declared, type=list[SettingRow])
        except msgspec.DecodeError as error:
            raise SettingsError([f"FOLDLINE_DECLARED can't be read: {error}"]) from error
        return cls({row.name: row for row in rows})

    def source(self, name: str) -> str:
        """Where a setting came from, such as `env FOLDLINE_MODEL`; `default` where nobody wrote it down."""
        row = self.rows.get(variable(name))
        return "default" if row is None else row.source

    def is_set(self, name: str) -> bool:
        """Whether it was told at all."""
        row = self.rows.get(variable(name))
        return row is not None and row.value != ""

    @property
    def in_file(self) -> frozenset[str]:
        """The settings that `foldline.toml` holds."""
        return frozenset(
            name for shown, name in _BY_VARIABLE.items() if self.source(name).startswith("toml ") and shown
        )

    @property
    def operator(self) -> list[OperatorSetting]:
        """All that are not a person's."""
        return [
            OperatorSetting(variable=row.name, value=row.value, source=row.source, meaning=row.meaning)
            for row in self.rows.values()
            if row.name not in _BY_VARIABLE
        ]
