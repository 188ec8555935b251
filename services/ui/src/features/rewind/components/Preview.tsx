import { placeOf, recordOf } from "../../../lib/address";
import type { RewindPreview } from "../../../lib/wire";
import type { Plan } from "../fold/plan";
import { Changes } from "./Changes";
import { DatabasePart } from "./DatabasePart";
import { FilesPart } from "./FilesPart";
import { MessageList } from "./MessageList";

interface Props {
  preview: RewindPreview;
  plan: Plan;
  onPlan: (plan: Plan) => void;
}

/** What a rewind would undo, in parts to choose from. */
export function Preview({ preview, plan, onPlan }: Props) {
  const { hidden, shown_again: shownAgain, agent, files, database, to, target_sequence: at } = preview;
  return (
    <>
      {at !== recordOf(placeOf(to)) && (
        <p className="alert alert-info">
          Tools were still running at event {to}, so this goes back to just before they started (event {at}).
        </p>
      )}
      <fieldset className="rewind-part">
        <legend>
          <label>
            <input
              type="checkbox"
              className="form-check-input"
              checked={plan.conversation}
              onChange={(event) => onPlan({ ...plan, conversation: event.target.checked })}
            />{" "}
            The conversation
          </label>
        </legend>
        <p className="small text-body-secondary">
          Nothing is deleted. The chat keeps the hidden messages, folded away, and you can undo the rewind.
        </p>
        <MessageList words="Goes" sign="−" messages={hidden} />
        <MessageList words="Comes back" sign="+" messages={shownAgain} />
        {!hidden.length && !shownAgain.length && <p className="small mb-0">No message would change.</p>}
      </fieldset>
      <fieldset className="rewind-part">
        <legend>
          <label>
            <input
              type="checkbox"
              className="form-check-input"
              checked={plan.agent && agent.length > 0}
              disabled={!agent.length}
              onChange={(event) => onPlan({ ...plan, agent: event.target.checked })}
            />{" "}
            What this chat changed in the agent
          </label>
        </legend>
        {agent.length ? (
          <Changes changes={agent} plan={plan} onPlan={onPlan} />
        ) : (
          <p className="small mb-0">This chat changed nothing in the agent since then.</p>
        )}
      </fieldset>
      {files.length > 0 && <FilesPart changes={files} plan={plan} onPlan={onPlan} />}
      {database && <DatabasePart change={database} plan={plan} onPlan={onPlan} />}
    </>
  );
}
