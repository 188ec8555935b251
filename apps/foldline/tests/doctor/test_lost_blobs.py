"""Doctor says which blobs are lost, and what to do."""

from typing import cast

import pytest

from agent_domain.checking.blobs import BlobLoss, LostBlob
from agent_platform.nats.connection import NatsConnection
from foldline.doctor import stores

LOST = LostBlob("a" * 64, True, "ses.a.1.s_1.in.user_message", 7)


@pytest.mark.parametrize(("loss", "is_ok"), [(BlobLoss(3, 0, ()), True), (BlobLoss(3, 1, (LOST,)), False)])
async def test_a_lost_blob_is_a_problem_with_its_event(
    monkeypatch: pytest.MonkeyPatch, loss: BlobLoss, is_ok: bool
) -> None:
    async def found(_: NatsConnection) -> BlobLoss:
        return loss

    monkeypatch.setattr(stores, "lost_blobs", found)
    said = str(await stores.blobs(cast("NatsConnection", None)))
    assert ("is damaged, named by event 7" in said) is not is_ok
    assert ("foldline restore" in said) is not is_ok
