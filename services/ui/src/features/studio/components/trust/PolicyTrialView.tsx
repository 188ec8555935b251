import { chatHref } from "../../../../lib/route";
import type { PolicyTrial } from "../../../../lib/wire";
import { count, fullTime } from "../../../../lib/words";
import { VERDICT_WORDS, type Verdict } from "../../fold/policy";

/** What a policy would have said of past calls, and where it differs from the one that holds. */
export function PolicyTrialView({ trial }: { trial: PolicyTrial }) {
  if (trial.of === 0) return <p role="status">This agent has called nothing yet.</p>;
  const { allow = 0, ask = 0, deny = 0 } = trial.verdicts;
  return (
    <div className="policy-trial">
      <p role="status">
        The newest {count(trial.of)} calls: {count(allow)} allowed, {count(ask)} asked and {count(deny)}{" "}
        refused. {differing(trial)}
      </p>
      <ul className="lever-list">
        {trial.shown.map((one) => (
          <li key={`${one.session_id} ${one.call_id}`} className="lever-item">
            <p className="lever-item-head">
              <code>{one.tool}</code>
              <span className="lever-words">{one.what}</span>
              <span className="badge studio-badge">
                {VERDICT_WORDS[one.was as Verdict]} → {VERDICT_WORDS[one.would as Verdict]}
              </span>
            </p>
            <p className="lever-item-head text-body-secondary small">
              <span>{one.would_by}</span>
              <span>{fullTime(one.at)}</span>
              <a href={chatHref(one.session_id)}>{one.title ?? "Its chat"}</a>
            </p>
          </li>
        ))}
      </ul>
    </div>
  );
}

function differing({ differ, shown }: PolicyTrial): string {
  if (differ === 0) return "The current policy gives the same result.";
  const all = shown.length === differ ? "" : ` (showing the newest ${count(shown.length)})`;
  return `${count(differ)} ${differ === 1 ? "differs" : "differ"} from the current policy${all}:`;
}
