"""A person's settings: the installation's, and those of one agent, which come before them."""

from typing import Annotated

from fastapi import Path, Query

from agent_contracts.api.settings import ModelTest, OwnValue, Settings, TryModel, WriteSettings
from agent_contracts.api.versions import Revert, Version
from agent_contracts.api.wire import Page
from gateway.http.wire.parameters import (
    LIMIT,
    AgentPath,
    AsOf,
    NumberCursor,
    Using,
    VersionPath,
)
from gateway.http.wire.resource import resource

router = resource("settings")
of_agent = resource("settings", "/agents/{agent_id}")

NamePath = Annotated[str, Path(max_length=100, description="Name of the setting, such as `token_limit`.")]
Limit = Annotated[int, Query(ge=1, le=200, description=LIMIT)]


@router.get("/settings", operation_id="listSettings")
async def list_settings(operations: Using, at: AsOf = None) -> Settings:
    """All settings: values that count for agents without any of their own, where each comes from, and what
    an operator said at the start. Secrets are never told."""
    return await operations.settings.read(None, at)


@router.patch("/settings", operation_id="changeSettings")
async def change_settings(operations: Using, body: WriteSettings) -> Settings:
    """Set several for the installation, all or none; null resets one. They hold from the next call on. One
    that the environment says can't be written: 409 with its path."""
    return await operations.settings.write(None, body.values, body.versions)


@router.post("/settings:test-model", operation_id="testModel")
async def test_model(operations: Using, body: TryModel) -> ModelTest:
    """Make one short real call, by the settings as they hold or would with `values`. Nothing is stored."""
    return await operations.settings.test(None, body.level, body.values, body.wants)


@router.get("/settings/{name}/versions", operation_id="listSettingVersions")
async def list_versions(
    operations: Using, name: NamePath, cursor: NumberCursor, limit: Limit = 50
) -> Page[Version]:
    """Its changes, newest first."""
    return await operations.settings.versions(None, name, cursor, limit)


@router.get("/settings/{name}/versions/{version}", operation_id="getSettingVersion")
async def get_version(operations: Using, name: NamePath, version: VersionPath) -> OwnValue:
    """One version's value; null for a secret."""
    return await operations.settings.version(None, name, version)


@router.post("/settings/{name}:revert", operation_id="revertSetting")
async def revert(operations: Using, name: NamePath, body: Revert) -> Settings:
    """Give it an earlier version's value again. A secret has none."""
    return await operations.settings.revert(None, name, body.target)


@of_agent.get("/settings", operation_id="listAgentSettings")
async def list_agent_settings(operations: Using, agent_id: AgentPath, at: AsOf = None) -> Settings:
    """All settings as they hold for one agent."""
    return await operations.settings.read(agent_id, at)


@of_agent.patch("/settings", operation_id="changeAgentSettings")
async def change_agent_settings(operations: Using, agent_id: AgentPath, body: WriteSettings) -> Settings:
    """Set several for one agent, before the installation's; null resets one."""
    return await operations.settings.write(agent_id, body.values, body.versions)


@of_agent.post("/settings:test-model", operation_id="testAgentModel")
async def test_agent_model(operations: Using, agent_id: AgentPath, body: TryModel) -> ModelTest:
    """As `testModel`, by the settings of one agent."""
    return await operations.settings.test(agent_id, body.level, body.values, body.wants)


@of_agent.get("/settings/{name}/versions", operation_id="listAgentSettingVersions")
async def list_agent_versions(
    operations: Using, agent_id: AgentPath, name: NamePath, cursor: NumberCursor, limit: Limit = 50
) -> Page[Version]:
    """Its changes by this agent's people, newest first."""
    return await operations.settings.versions(agent_id, name, cursor, limit)


@of_agent.get("/settings/{name}/versions/{version}", operation_id="getAgentSettingVersion")
async def get_agent_version(
    operations: Using, agent_id: AgentPath, name: NamePath, version: VersionPath
) -> OwnValue:
    """One version's value; null for a secret."""
    return await operations.settings.version(agent_id, name, version)


@of_agent.post("/settings/{name}:revert", operation_id="revertAgentSetting")
async def revert_agent_setting(
    operations: Using, agent_id: AgentPath, name: NamePath, body: Revert
) -> Settings:
    """Give it an earlier version's value again. A secret has none."""
    return await operations.settings.revert(agent_id, name, body.target)
