"""`foldline config`."""

import dataclasses
import os

from agent_platform.settings.rows import SettingRow, setting_rows
from foldline.cli.listing import listed
from foldline.cli.output import JsonOption, console, failures_shown, print_json
from foldline.settings import UpSettings, load
from model_caller.choosing.model_choice import choose_model


def config(as_json: JsonOption = False) -> None:
    """Print every setting, its value (secrets masked), where it came from and what it means."""
    with failures_shown():
        loaded = load()
        rows = setting_rows(loaded)
        model = choose_model(loaded.of(UpSettings), os.environ)
        if as_json:
            print_json(
                {
                    "settings": [dataclasses.asdict(row) for row in rows],
                    "model": model.model,
                    "why": model.source,
                }
            )
            return
        columns = ("setting", "value", "from", "meaning")
        listed(rows, columns, _row, none="No settings.", as_json=False)
        console.print(f"\nThe model in use: [bold]{model.model}[/] ({model.source})", highlight=False)


def _row(row: SettingRow) -> tuple[str, ...]:
    return row.name, row.value, row.source, row.meaning
