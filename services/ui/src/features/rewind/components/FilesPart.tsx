import type { FileChange } from "../../../lib/wire";
import { fate, fileGoesBack, fileKey, type Plan, pathsOf, sizeOf, toggled } from "../fold/plan";

interface Props {
  changes: readonly FileChange[];
  plan: Plan;
  onPlan: (plan: Plan) => void;
}

/** The files that this chat made, changed or deleted, with what becomes of each. */
export function FilesPart({ changes, plan, onPlan }: Props) {
  return (
    <fieldset className="rewind-part">
      <legend>
        <label>
          <input
            type="checkbox"
            className="form-check-input"
            checked={plan.files}
            onChange={(event) => onPlan({ ...plan, files: event.target.checked })}
          />{" "}
          Its files
        </label>
      </legend>
      <ul className="rewind-changes">
        {changes.map((change) => {
          const back = fileGoesBack(plan, change);
          return (
            <li key={change.file_id} className={back ? "" : "is-left-out"}>
              <span className="rewind-name">{pathsOf(change)}</span>{" "}
              <span className="badge text-bg-secondary">{back ? fate(change) : "stays as it is"}</span>{" "}
              <span className="small text-body-secondary">
                now {sizeOf(change.now)}; then {sizeOf(change.before)}
              </span>
              {change.path_taken && (
                <p className="small mb-0">
                  Another file has its path now. Rename that one to take this back.
                </p>
              )}
              {change.touched_by_others && !change.path_taken && (
                <label className="rewind-touched">
                  <input
                    type="checkbox"
                    className="form-check-input"
                    disabled={!plan.files}
                    checked={plan.included.has(fileKey(change))}
                    onChange={() => onPlan(toggled(plan, fileKey(change)))}
                  />{" "}
                  Somebody else has changed it since. Take it back anyway
                </label>
              )}
            </li>
          );
        })}
      </ul>
    </fieldset>
  );
}
