"""Models that a setting names."""

from fnmatch import fnmatchcase

from model_caller.choosing.target import ModelTarget


def named_in(setting: str, target: ModelTarget) -> str | None:
    """The first of a setting's patterns that the model's string fits, or None: models separated by commas,
    with * for any text."""
    names = (target.model, target.for_litellm)
    patterns = [one.strip() for one in setting.split(",")]
    return next((one for one in patterns for name in names if fnmatchcase(name, one)), None)
