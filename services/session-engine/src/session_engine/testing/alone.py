"""This service's parts as processes of their own run them, by the settings of their environment."""

import asyncio

from agent_platform.settings import load_settings
from session_engine.app import serve_engine
from session_engine.projector import serve_projector


def engine() -> None:
    """An engine."""
    asyncio.run(serve_engine(load_settings().settings))


def projector() -> None:
    """A projector."""
    asyncio.run(serve_projector(load_settings().settings))
