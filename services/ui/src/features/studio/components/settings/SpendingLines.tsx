import { useCallback } from "react";
import { useRead } from "../../../../lib/hooks/useRead";
import { count, money } from "../../../../lib/words";
import { readSpending } from "../../api/settings";

interface Props {
  /** Null: only what all agents spent. */
  agentId: string | null;
}

/** What was spent on models today and in all, as the caps below count. */
export function SpendingLines({ agentId }: Props) {
  const read = useCallback((signal: AbortSignal) => readSpending(agentId, signal), [agentId]);
  const { all, agent } = useRead(read).value ?? {};
  if (!all) return null;
  return (
    <dl className="settings-spending">
      {agent && <Line title="This agent today" {...agent.today} />}
      {agent && <Line title="This agent in all" {...agent.total} />}
      <Line title="All agents today" {...all.today} />
      <Line title="All agents in all" {...all.total} />
      {all.held.tokens > 0 && <Line title="Held back for running calls" {...all.held} />}
    </dl>
  );
}

interface LineProps {
  title: string;
  tokens: number;
  cost_micros: number;
  unpriced: number;
}

function Line({ title, tokens, cost_micros: cost, unpriced }: LineProps) {
  return (
    <div>
      <dt>{title}</dt>
      <dd>
        {count(tokens)} tokens, {money(cost)}
        {unpriced > 0 && <>; no price is known for {count(unpriced)} of the tokens</>}
      </dd>
    </div>
  );
}
