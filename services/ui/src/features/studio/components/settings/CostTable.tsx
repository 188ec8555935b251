import { useCallback } from "react";
import { useRead } from "../../../../lib/hooks/useRead";
import { count, money } from "../../../../lib/words";
import { readCosts } from "../../api/requests";

/** What an agent's model calls took and cost in the last 30 days, by day and model. */
export function CostTable({ agentId }: { agentId: string }) {
  const read = useCallback((signal: AbortSignal) => readCosts(agentId, signal), [agentId]);
  const { costs } = useRead(read).value ?? {};
  if (!costs || costs.length === 0) return null;
  const known = costs.flatMap(({ usage }) => usage.cost_micros ?? []);
  const whole = costs.every(({ unpriced_tokens }) => unpriced_tokens === 0);
  const sum = known.length > 0 ? known.reduce((one, other) => one + other) : null;
  return (
    <details className="studio-costs">
      <summary>
        <span className="studio-limit">Models, </span>30 days: {money(sum, whole)}
      </summary>
      <table className="table table-sm">
        <thead>
          <tr>
            <th scope="col">Day</th>
            <th scope="col">Model</th>
            {["Calls", "Input", "of it cached", "Output", "Cost"].map((heading) => (
              <th key={heading} scope="col" className="text-end">
                {heading}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {costs.map(({ day, model, calls, usage, unpriced_tokens }) => (
            <tr key={`${day} ${model}`}>
              <th scope="row">{day}</th>
              <td>{model ?? "asked by tools"}</td>
              {[calls, usage.input, usage.cached_input ?? 0, usage.output].map((figure, column) => (
                // biome-ignore lint/suspicious/noArrayIndexKey: the columns never change
                <td key={column} className="text-end">
                  {count(figure)}
                </td>
              ))}
              <td className="text-end">{money(usage.cost_micros, unpriced_tokens === 0)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </details>
  );
}
