import { useState } from "react";
import { useAction } from "../../../../lib/hooks/useAction";
import type { ModelTest } from "../../../../lib/wire";
import { count, money } from "../../../../lib/words";
import { type TestWants, testModel } from "../../api/settings";
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

const BUTTONS = [
  { wants: "answer", words: "Test", working: "Testing…" },
  { wants: "checks", words: "Check", working: "Checking…" },
] as const;

/** Asks the model with what is typed, saved or not: once, or until it is known what it can do. */
export function ModelTry({ agentId, level, label, values, onTested }: Props) {
  const action = useAction();
  const [wanted, setWanted] = useState<TestWants>("answer");
  return BUTTONS.map(({ wants, words, working }) => (
    <button
      key={wants}
      type="button"
      className="btn btn-sm btn-outline-primary"
      aria-disabled={action.working}
      aria-label={`${words} ${label}`}
      onClick={() => {
        setWanted(wants);
        action.run(
          () => testModel(agentId, level, values(), wants),
          onTested,
          (failure) => onTested({ failure }),
        );
      }}
    >
      {action.working && wanted === wants ? working : words}
    </button>
  ));
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
