import type { Session } from "../../../../lib/wire";
import { compactCount, count, money } from "../../../../lib/words";

/** How many tokens the chat has used of those it may, and what they cost as far as that is known. */
export function TokenMeter({ session }: { session: Session }) {
  const { input, output, tokens: used, cached_input = 0, cost_micros = null } = session.usage;
  const share = session.token_limit > 0 ? Math.min(1, used / session.token_limit) : 0;
  const level = share >= 1 ? "is-full" : share >= 0.8 ? "is-high" : "";
  const words =
    `${count(used)} of ${count(session.token_limit)} tokens used, as the model's provider counts them: ` +
    `${count(input)} read (${count(cached_input)} of them cached) and ${count(output)} written, ` +
    `over all model calls of this chat. ${
      cost_micros === null ? "No price of this model is known" : `They cost ${money(cost_micros)}`
    }`;
  return (
    <span className={`token-meter ${level}`} title={words}>
      <span className="token-bar" aria-hidden="true">
        <span style={{ width: `${share * 100}%` }} />
      </span>
      <span aria-hidden="true">
        {compactCount(used)}
        <span className="token-unit"> tokens</span>
        {cost_micros !== null && <span className="token-cost"> · {money(cost_micros)}</span>}
      </span>
      <span className="visually-hidden">{words}</span>
    </span>
  );
}
