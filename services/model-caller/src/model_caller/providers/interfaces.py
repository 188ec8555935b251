"""The interfaces over which models are asked, by the names that providers have for them."""

from collections.abc import AsyncGenerator, Mapping

from agent_contracts.extensions import ExtensionFlaw, named, put_aside
from agent_contracts.extensions import installed as installed_extensions
from agent_contracts.session_events.results import ModelFailure, Usage
from agent_domain.model_providers import model_providers
from model_caller.answers.answer import AnswerEnding, AnswerPiece, Assembly
from model_caller.answers.failures import ModelFault
from model_caller.choosing.target import ModelTarget
from model_caller.limits import ModelCallLimits
from model_caller.providers import anthropic, litellm_provider, ollama, openai_compatible
from model_caller.providers.counting import counted
from model_caller.providers.interface import InterfaceProvider, ModelInterface
from session_domain.model_requests.request import ModelRequest


class BrokenProvider:
    """Stands for the provider of another distribution that can't be used, and says why."""

    def __init__(self, why: str) -> None:
        self._why = why

    async def warm_up(self, target: ModelTarget) -> None:
        """Nothing to do."""

    async def close(self) -> None:
        """Nothing to close."""

    async def window(self, target: ModelTarget) -> int | None:
        """None."""
        return None

    async def count(self, request: ModelRequest, said: Assembly) -> Usage:
        """See `Provider`."""
        return counted(request, said)

    async def stream(
        self, request: ModelRequest, target: ModelTarget
    ) -> AsyncGenerator[AnswerPiece | AnswerEnding, None]:
        """`ModelFault`, always."""
        nothing: tuple[AnswerPiece, ...] = ()
        for piece in nothing:  # what makes it a generator
            yield piece
        raise ModelFault(ModelFailure.UNKNOWN_MODEL, f"the extension that asks it can't be used: {self._why}")


def _broken(provider: str, error: BaseException) -> ModelInterface:
    why = put_aside("provider", provider, error).why
    return ModelInterface(provider=lambda limits: BrokenProvider(why))


def _interface_of(provider: str, reference: str) -> ModelInterface:
    """The interface of another distribution's provider."""
    try:
        if ":" not in reference:
            raise ExtensionFlaw(f"no interface {reference} is known: write module:NAME for one of its own")
        found = named(reference)
        if not isinstance(found, ModelInterface):
            raise ExtensionFlaw(f"{reference} is no ModelInterface")
    except (Exception, SystemExit) as error:  # it is somebody else's code
        return _broken(provider, error)
    return found


def _all() -> dict[str, ModelInterface]:
    found = {
        "openai": openai_compatible.INTERFACE,
        "anthropic": anthropic.INTERFACE,
        "ollama": ollama.INTERFACE,
        "litellm": litellm_provider.INTERFACE,
    }
    theirs = {point.name for point in installed_extensions("provider")}
    for name, provider in model_providers().items():
        if provider.interface not in found:
            assert name in theirs, f"{name}: no interface {provider.interface} is known"
            found[provider.interface] = _interface_of(name, provider.interface)
    return found


INTERFACES: Mapping[str, ModelInterface] = _all()


def providers(limits: ModelCallLimits) -> dict[str, InterfaceProvider]:
    """A provider for each interface."""
    return {name: _made(name, interface, limits) for name, interface in INTERFACES.items()}


def _made(name: str, interface: ModelInterface, limits: ModelCallLimits) -> InterfaceProvider:
    if ":" not in name:
        return interface.provider(limits)
    try:
        return interface.provider(limits)
    except Exception as error:  # it is somebody else's code
        theirs = (one for one, provider in model_providers().items() if provider.interface == name)
        return _broken(next(theirs), error).provider(limits)
