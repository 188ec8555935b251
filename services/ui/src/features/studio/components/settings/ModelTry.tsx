import { useAction } from "../../../../lib/hooks/useAction";
import type { ModelTest } from "../../../../lib/wire";
import { count, money } from "../../../../lib/words";
import { testModel } from "../../api/settings";
import type { Values } from "../../fold/settings";
import type { Level } from "../../fold/settingWords";

interface Props {
  agentId: string | null;
  level: Level;
  /** What the button's model is called. */
  label: string;
  /** What is typed and not saved yet. */
  values: () => Values;
  onTested: (test: ModelTest | { failure: unknown }) => void;
}

/** Makes one real call with what is typed, saved or not. */
export function ModelTry({ agentId, level, label, values, onTested }: Props) {
  const action = useAction();
  return (
    <button
      type="button"
      className="btn btn-sm btn-outline-primary"
      disabled={action.working}
      aria-label={`Test ${label}`}
      onClick={() =>
        action.run(
          () => testModel(agentId, level, values()),
          onTested,
          (failure) => onTested({ failure }),
        )
      }
    >
      {action.working ? "Testing…" : "Test"}
    </button>
  );
}

/** What came of it, in a sentence. */
export function testWords(test: ModelTest): string {
  const { ok, model, said, problem, ms, tokens, cost_micros, small_since: small } = test;
  if (!ok) return problem ?? "The test failed.";
  const cost = cost_micros === null ? "" : `, ${money(cost_micros, true)}`;
  const took = `${(ms / 1000).toFixed(1)} s${tokens === null ? "" : `, ${count(tokens)} tokens`}${cost}`;
  const preset = small ? ` It gets a short prompt and few tools, since ${small}.` : "";
  return `${model} answers (${took}): “${said ?? ""}”${preset}`;
}
