import { Diff } from "../../../components/Diff";
import { kindNamed } from "../../../lib/kinds";
import type { AgentChange } from "../../../lib/wire";
import { changeKey, fate, goesBack, nameOf, type Plan, textOf, toggled } from "../fold/plan";

interface Props {
  changes: readonly AgentChange[];
  plan: Plan;
  onPlan: (plan: Plan) => void;
}

/** Each thing that would go back, with what becomes of it. What others changed too has to be chosen. */
export function Changes({ changes, plan, onPlan }: Props) {
  return (
    <ul className="rewind-changes">
      {changes.map((change) => {
        const key = changeKey(change);
        return (
          <li key={key} className={goesBack(plan, change) ? "" : "is-left-out"}>
            <details>
              <summary>
                <span className="rewind-name">{nameOf(change)}</span>{" "}
                <span className="badge text-bg-secondary">
                  {goesBack(plan, change) ? fate(change) : "stays as it is"}
                </span>
              </summary>
              <Diff
                before={textOf(change.now)}
                after={textOf(change.before)}
                label={`Change of ${nameOf(change)}`}
              />
            </details>
            {change.time_passed && goesBack(plan, change) && (
              <p className="rewind-touched">{kindNamed(change.kind)?.passed}</p>
            )}
            {change.touched_by_others && (
              <label className="rewind-touched">
                <input
                  type="checkbox"
                  className="form-check-input"
                  disabled={!plan.agent}
                  checked={plan.included.has(key)}
                  onChange={() => onPlan(toggled(plan, key))}
                />{" "}
                Somebody else has changed it since. Take it back anyway
              </label>
            )}
          </li>
        );
      })}
    </ul>
  );
}
