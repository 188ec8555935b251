"""Which models see pictures: as the user says, else as the list of models has it, else by their names."""

import re

from model_caller.choosing.named_models import named_in
from model_caller.choosing.target import ModelTarget
from model_caller.pricing.listed_models import listed_model

AUTO, ALL, NONE = "auto", "all", "none"

_SEES = re.compile(
    r"(^|[/:.@_-])"
    r"(gpt-4o|gpt-4\.1|gpt-4-turbo|gpt-[5-9]|o[134](-|$)|chatgpt-4o|claude-|gemini|gemma-?3|grok-4|pixtral|llava"
    r"|bakllava|moondream|minicpm-v|internvl|molmo|mistral-(small|medium|large)-(3\.[1-9]|latest)"
    r"|llama-?(3\.2-vision|4)|phi-?[34][\w.]*-(vision|multimodal)|qwen[\w.]*-?vl|glm-4[\w.]*v|granite[\w.]*-vision)"
    r"|vision",
    re.IGNORECASE,
)
_BLIND = re.compile(r"gpt-oss|claude-(2|instant)|o1-mini|o3-mini|o1-preview", re.IGNORECASE)


def sees(target: ModelTarget, setting: str = AUTO) -> bool:
    """Whether a model is shown pictures. The setting: auto, all, none, or models (with * for any text),
    separated by commas."""
    if setting in (ALL, NONE):
        return setting == ALL
    if setting != AUTO:
        return named_in(setting, target) is not None
    entry = listed_model(target.for_litellm)
    if entry is not None and entry.sees is not None:
        return entry.sees
    return _SEES.search(target.model) is not None and _BLIND.search(target.model) is None
