import { useId, useState } from "react";
import { count } from "../../../../lib/words";
import {
  AS_SETTINGS_SAY,
  EFFORTS,
  isBudget,
  LEAST_BUDGET,
  MOST_BUDGET,
  type Thinking,
} from "../../fold/choosing";
import "../../thinkingChoice.css";

interface Props {
  thinking: Thinking;
  onChoose: (thinking: Thinking) => void;
}

const TOKENS = "tokens";
const FIRST_BUDGET = 8_192;

/** How much a model thinks before it answers: an effort, or a number of tokens. */
export function ThinkingChoice({ thinking, onChoose }: Props) {
  const { effort, budget } = thinking;
  const [text, setText] = useState(budget === null ? "" : String(budget));
  const problemId = useId();
  const asksTokens = budget !== null || text !== "";
  const wrong = !isBudget(budget);

  function choose(value: string) {
    if (value === TOKENS) {
      setText(String(FIRST_BUDGET));
      onChoose({ effort: null, budget: FIRST_BUDGET });
      return;
    }
    setText("");
    const chosen = EFFORTS.find((one) => one.effort === value)?.effort ?? null;
    onChoose({ ...AS_SETTINGS_SAY, effort: chosen });
  }

  return (
    <div className="thinking-choice">
      <label>
        <span aria-hidden="true">Thinking</span>
        <select
          aria-label="Effort of thinking"
          className="form-select form-select-sm"
          value={effort ?? (asksTokens ? TOKENS : "")}
          onChange={(event) => choose(event.target.value)}
        >
          {EFFORTS.map(({ effort: one, words }) => (
            <option key={one} value={one ?? ""}>
              {words}
            </option>
          ))}
          <option value={TOKENS}>A number of tokens…</option>
        </select>
      </label>
      {asksTokens && (
        <label>
          <span aria-hidden="true">at most</span>
          <input
            className={`form-control form-control-sm ${wrong ? "is-invalid" : ""}`}
            aria-label="Tokens for thinking"
            aria-invalid={wrong}
            aria-describedby={wrong ? problemId : undefined}
            inputMode="numeric"
            maxLength={9}
            value={text}
            onChange={(event) => {
              const typed = event.target.value.replace(/\D/g, "");
              setText(typed);
              onChoose({ effort, budget: Number(typed) });
            }}
          />
          <span aria-hidden="true">tokens</span>
        </label>
      )}
      {wrong && (
        <p id={problemId} className="thinking-choice-problem" role="status">
          Write a number from {count(LEAST_BUDGET)} to {count(MOST_BUDGET)}.
        </p>
      )}
    </div>
  );
}
