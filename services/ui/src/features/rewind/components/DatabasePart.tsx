import type { RewindPreview } from "../../../lib/wire";
import { DATABASE, databaseGoesBack, type Plan, toggled } from "../fold/plan";

interface Props {
  change: NonNullable<RewindPreview["database"]>;
  plan: Plan;
  onPlan: (plan: Plan) => void;
}

/** The agent's database, which goes back as a whole. */
export function DatabasePart({ change, plan, onPlan }: Props) {
  const { writes, by_others: byOthers, latest, inexact } = change;
  return (
    <fieldset className="rewind-part">
      <legend>
        <label>
          <input
            type="checkbox"
            className="form-check-input"
            checked={plan.database}
            onChange={(event) => onPlan({ ...plan, database: event.target.checked })}
          />{" "}
          The agent's database
        </label>
      </legend>
      <p className="small mb-1">
        {writes === 1 ? "1 database write" : `${writes} database writes`}
        {databaseGoesBack(plan, change)
          ? ` ${writes === 1 ? "is" : "are"} undone.`
          : `: ${writes === 1 ? "it stays" : "they stay"}.`}
      </p>
      {inexact && <p className="rewind-touched">{inexact}</p>}
      {latest.length > 0 && (
        // biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reachable by keyboard
        <pre className="diff" tabIndex={0} role="group" aria-label="Database writes to undo">
          {latest.map(({ sequence, sql }) => (
            <del key={sequence}>{sql ?? "(an earlier rewind)"}</del>
          ))}
        </pre>
      )}
      {byOthers > 0 && (
        <label className="rewind-touched">
          <input
            type="checkbox"
            className="form-check-input"
            disabled={!plan.database}
            checked={plan.included.has(DATABASE)}
            onChange={() => onPlan(toggled(plan, DATABASE))}
          />{" "}
          {byOthers === 1 ? "1 write was" : `${byOthers} writes were`} made by other chats. Undo them too
        </label>
      )}
    </fieldset>
  );
}
