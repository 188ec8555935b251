"""`foldline config`."""

import dataclasses
import os

from rich.table import Table

from agent_platform.settings.rows import setting_rows
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
        table = Table(box=None, pad_edge=False)
        for column in ("setting", "value", "from", "meaning"):
            table.add_column(column, no_wrap=column == "setting")
        for row in rows:
            table.add_row(row.name, row.value, row.source, row.meaning)
        console.print(table)
        console.print(f"\nThe model in use: [bold]{model.model}[/] ({model.source})", highlight=False)
