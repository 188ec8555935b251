"""What must hold of the whole stack after the faults: no hole, projections as rebuilt, nobody hangs."""

from foldline_testing.product.chaos.client import PersistentClient
from foldline_testing.product.chaos.log_view import LogView
from projector.administration import check_projections


async def check_whole(client: PersistentClient, view: LogView) -> list[str]:
    """I5 and I6 over everything; what is broken."""
    broken = []
    missing = await view.missing()
    if missing:
        broken.append(f"I1: the log has a hole of {missing} messages")
    dead = await view.dead_letters()
    if dead:
        broken.append(f"I6: given up: {dict(dead)}")
    report = await check_projections(view.postgres_dsn, view.log)
    for table in report.compared or ():
        if table.differing:
            broken.append(f"I5: {table.differing} of {table.rows} rows of {table.table}: {table.shown[:2]}")
    if report.compared is None:
        broken.append("I5: there are no projections")
    running = await client.get("/sessions", status="running", limit=200)
    if running["items"]:
        broken.append(f"I6: still running: {[one['title'] for one in running['items']]}")
    return broken
