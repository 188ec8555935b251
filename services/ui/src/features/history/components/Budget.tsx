import { count } from "../../../lib/words";
import type { Budgeted, Purse } from "../fold/seen";

const WORDS: Record<Purse, string> = {
  tools: "Tools",
  prompt: "The prompt",
  agent: "What the agent has",
  summaries: "Summaries",
  conversation: "The conversation",
};

interface Props {
  budget: readonly Budgeted[];
  /** Of all that was sent (0 to 1), from its beginning; null where nothing is known of it. */
  cached: number | null;
}

/** What the room in a request went to, and how much of it the provider had cached. */
export function Budget({ budget, cached }: Props) {
  return (
    <section className="budget" aria-label="What the tokens went to">
      <div className="budget-bar" aria-hidden="true">
        {budget.map(({ purse, share }) => (
          <span key={purse} className={`is-${purse}`} style={{ flexGrow: share }} />
        ))}
      </div>
      {cached !== null && cached > 0 && (
        <div className="budget-cached">
          <span className="budget-cached-line" aria-hidden="true" style={{ width: `${cached * 100}%` }} />
          {percent(cached)} from the provider's cache
        </div>
      )}
      <ul className="budget-purses">
        {budget.map(({ purse, tokens, share }) => (
          <li key={purse}>
            <span className={`budget-sign is-${purse}`} aria-hidden="true" />
            <span>{WORDS[purse]}</span>
            <strong>{percent(share)}</strong>
            <span className="budget-tokens">≈ {count(tokens)} tokens</span>
          </li>
        ))}
      </ul>
    </section>
  );
}

function percent(share: number): string {
  return share > 0 && share < 0.01 ? "< 1 %" : `${Math.round(share * 100)} %`;
}
