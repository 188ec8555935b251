"""How a program logs, by its settings."""

from pathlib import Path

from agent_platform.observing.log_file import LogFile
from agent_platform.observing.logs import configure_logging
from agent_platform.observing.slowness import slow_after
from agent_platform.settings.shared import LogSettings


def configure_by(settings: LogSettings, name: str) -> None:
    """Log as the settings say, in the name of a service or program."""
    file = None if settings.log_file is None else LogFile(settings.log_file, settings.log_file_size)
    configure_logging(settings.log_level, settings.log_format, name, file)
    slow_after(settings.slow_after)


def log_file_of(file: Path, service: str, replica: int = 0) -> Path:
    """The file of one process, beside that of the program that starts it."""
    number = f".{replica + 1}" if replica else ""
    return file.with_name(f"{file.stem}.{service}{number}{file.suffix}")
