"""What was spent on models, as caps count it."""

from agent_contracts.api.usage import Spending, SpentBy, UsageTotal
from agent_contracts.ids import AgentId
from agent_domain.budgets.budgets import Budgets
from agent_domain.budgets.ledger import Account, CostSum, Reservation
from gateway.operations.ports import KnownAgents


class SpendingOfAgents:
    """Reads it."""

    def __init__(self, agents: KnownAgents, budgets: Budgets) -> None:
        self._agents = agents
        self._budgets = budgets

    async def read(self, agent_id: AgentId | None) -> Spending:
        """What was spent until now; `Rejected(kind="not_found")` for no agent."""
        if agent_id is not None:
            await self._agents.require(agent_id)
        ledger, day = await self._budgets.read()
        held = list(ledger.held.values())
        mine = [one for one in held if one.agent_id == agent_id]
        account = Account() if agent_id is None else ledger.agents.get(agent_id, Account())
        return Spending(
            day=day,
            all=_spent_by(ledger.all, day, held),
            agent=None if agent_id is None else _spent_by(account, day, mine),
        )


def _spent_by(account: Account, day: str, held: list[Reservation]) -> SpentBy:
    back = CostSum()
    for one in held:
        back = back.plus(one.most)
    return SpentBy(today=_spent(account.on(day)), total=_spent(account.total), held=_spent(back))


def _spent(found: CostSum) -> UsageTotal:
    return UsageTotal(tokens=found.tokens, cost_micros=found.micros, unpriced=found.unpriced)
