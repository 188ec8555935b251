"""Providers of models, by what stands before the slash of a model string: those of `model_providers.toml`,
and those of other distributions (entry points of the group `foldline.providers`)."""

import os
import re
from collections.abc import Mapping
from functools import cache
from importlib.resources import files

import msgspec

from agent_contracts.entities.model_adaptations import Adaptation, LearnedAdaptation
from agent_contracts.extensions import ExtensionFlaw, loaded


class Quirk(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """How a provider's requests differ from its interface's usual ones. `models`: a regular expression that
    is searched for in a model's name."""

    adaptation: Adaptation
    why: str
    field: str | None = None
    models: str = ""


class ModelProvider(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What Foldline knows about a provider before it asks it. The TOML file explains the fields.

    `interface` of another distribution's may also be its own, as `module:NAME` of a `ModelInterface`
    (`model_caller/providers/interface.py`).
    """

    label: str
    interface: str = "openai"
    base_url: str | None = None
    keys: tuple[str, ...] = ()
    is_setting: bool = False
    model: str | None = None
    own: bool = False
    models_url: str | None = None
    listed_as: tuple[str, ...] = ()
    quirks: tuple[Quirk, ...] = ()

    def quirks_of(self, model: str) -> tuple[LearnedAdaptation, ...]:
        """The changes that every request to this model gets from the beginning, before any refusal."""
        return tuple(
            LearnedAdaptation(one.adaptation, one.why, "", one.field)
            for one in self.quirks
            if re.search(one.models, model)
        )


@cache
def model_providers() -> Mapping[str, ModelProvider]:
    """All that the file names, in its order, then those of other distributions."""
    return {**_ours(), **loaded("provider", ModelProvider, check_provider)}


@cache
def _ours() -> Mapping[str, ModelProvider]:
    data = files("agent_domain").joinpath("model_providers.toml").read_bytes()
    return msgspec.toml.decode(data, type=dict[str, ModelProvider])


def check_provider(name: str, provider: ModelProvider) -> None:
    """Raises for one of another distribution that can't be used."""
    if name in _ours():
        raise ExtensionFlaw(f"Foldline has a provider {name} itself")
    for quirk in provider.quirks:
        re.compile(quirk.models)


def provider_key(name: str, environ: Mapping[str, str] = os.environ) -> tuple[str, str] | None:
    """The variable of the environment that holds a provider's key, and the key; None without one."""
    known = model_providers().get(name)
    names = known.keys if known is not None else (f"{name.upper()}_API_KEY",)
    return next(((one, key) for one in names if (key := environ.get(one))), None)


def named_address(name: str, environ: Mapping[str, str] = os.environ) -> str | None:
    """The address at which the environment says that a provider is reached, in place of its own."""
    variables = (f"{name.upper()}{end}" for end in ("_BASE_URL", "_API_BASE"))
    return next(filter(None, map(environ.get, variables)), None)


def provider_address(name: str, environ: Mapping[str, str] = os.environ) -> str | None:
    """Where a provider is reached; None where neither the environment nor the file names an address."""
    known = model_providers().get(name)
    return named_address(name, environ) or (known.base_url if known is not None else None)
