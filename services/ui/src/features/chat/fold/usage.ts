/** Counts of tokens, and what they cost. */
import type { ModelCallCompleted } from "../../../contracts/events";
import type { TokenUsage } from "../../../lib/wire";

/** What was used, and more. */
export function plus(used: TokenUsage, more: ModelCallCompleted["usage"]) {
  return {
    input: used.input + more.input,
    output: used.output + more.output,
    cached_input: (used.cached_input ?? 0) + (more.cached_input ?? 0),
    cost_micros: both(used.cost_micros, more.cost_micros),
  };
}

/** Two costs in one: what is known of both. */
function both(cost: number | null | undefined, more: number | null | undefined): number | null {
  if (cost === null || cost === undefined) return more ?? null;
  return cost + (more ?? 0);
}
