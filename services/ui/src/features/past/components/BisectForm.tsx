import { type FormEvent, useId, useRef, useState } from "react";
import { useAction } from "../../../lib/hooks/useAction";
import { newKey } from "../../../lib/newKey";
import { messageOf } from "../../../lib/problems";
import { retrying } from "../../../lib/retrying";
import type { BisectCost } from "../../../lib/wire";
import { previewBisect, startBisect } from "../api/requests";
import { bodyOf, costWords, NOTHING, problemsOf, type Wishes } from "../fold/bisection";
import { Field } from "./Field";

interface Props {
  agentId: string;
  /** There was one before. */
  again: boolean;
  onBegun: () => void;
}

/** Asks for a check, says what the search would cost, and begins it. */
export function BisectForm({ agentId, again, onBegun }: Props) {
  const [wishes, setWishes] = useState<Wishes>(NOTHING);
  const [cost, setCost] = useState<BisectCost | null>(null);
  const asked = useRef<{ body: string; key: string } | null>(null);
  const action = useAction();
  const id = useId();
  const [tried, setTried] = useState(false);
  const form = useRef<HTMLFormElement>(null);
  const body = bodyOf(wishes);
  const problems = problemsOf(wishes);
  const problem = (name: keyof Wishes) => (tried ? problems[name] : undefined);

  function change(more: Partial<Wishes>) {
    setWishes({ ...wishes, ...more });
    setCost(null);
  }

  function submit(event: FormEvent) {
    event.preventDefault();
    setTried(true);
    if (!body) {
      if (problems.good || problems.bad) form.current?.querySelector("details")?.setAttribute("open", "");
      // Once the fields say what is wrong with them, the first one has the keyboard.
      requestAnimationFrame(() => form.current?.querySelector<HTMLElement>(".is-invalid")?.focus());
      return;
    }
    if (cost === null) {
      action.run(() => retrying(() => previewBisect(agentId, body)), setCost);
      return;
    }
    const text = JSON.stringify(body);
    if (asked.current?.body !== text) asked.current = { body: text, key: newKey() };
    const { key } = asked.current;
    action.run(
      () => retrying(() => startBisect(agentId, body, key)),
      () => {
        asked.current = null;
        setCost(null);
        onBegun();
      },
    );
  }

  return (
    <form
      ref={form}
      noValidate
      onSubmit={submit}
      className="past-form"
      aria-label={again ? "Search once more" : "Search"}
    >
      <p className="text-body-secondary">
        Did something stop working? Describe a check; Foldline tries it on past copies of the agent until it
        finds the change that broke it. The agent itself doesn't change.
      </p>
      <fieldset className="past-ways">
        <legend className="visually-hidden">How to check</legend>
        {(["ask", "function"] as const).map((way) => (
          <label key={way}>
            <input
              type="radio"
              className="form-check-input"
              name={`${id}-way`}
              checked={wishes.way === way}
              onChange={() => change({ way })}
            />{" "}
            {way === "ask" ? "By its answer to a message" : "By a function that returns true"}
          </label>
        ))}
      </fieldset>
      {wishes.way === "ask" ? (
        <>
          <Field
            label="Message to send"
            value={wishes.ask}
            rows={2}
            problem={problem("ask")}
            onChange={(ask) => change({ ask })}
          />
          <div className="past-pair">
            <Field
              label="The answer contains"
              value={wishes.expect}
              problem={problem("expect")}
              onChange={(expect) => change({ expect })}
            />
            <Field
              label="The answer doesn't contain"
              value={wishes.expectNot}
              onChange={(expectNot) => change({ expectNot })}
            />
          </div>
          <label>
            <input
              type="checkbox"
              className="form-check-input"
              checked={wishes.regex}
              onChange={(event) => change({ regex: event.target.checked })}
            />{" "}
            These are regular expressions
          </label>
        </>
      ) : (
        <Field
          label="Function"
          value={wishes.name}
          problem={problem("name")}
          onChange={(name) => change({ name })}
        />
      )}
      <details>
        <summary>Where to search</summary>
        <div className="past-pair">
          <Field
            label="Worked after event (empty: when the agent was created)"
            value={wishes.good}
            problem={problem("good")}
            onChange={(good) => change({ good })}
          />
          <Field
            label="Fails after event (empty: now)"
            value={wishes.bad}
            problem={problem("bad")}
            onChange={(bad) => change({ bad })}
          />
        </div>
      </details>
      {action.failure !== null && (
        <div className="alert alert-danger" role="alert">
          {messageOf(action.failure)}
        </div>
      )}
      {cost && (
        <div className="past-cost" role="status">
          {costWords(cost).map((words) => (
            <p key={words}>{words}</p>
          ))}
          <p>
            A probe changes nothing outside: it may read the web, but sends nothing, and has no browser and no
            secrets.
          </p>
        </div>
      )}
      <div className="past-buttons">
        <button type="submit" className="btn btn-primary" disabled={action.working}>
          {cost ? "Search" : "What would it cost?"}
        </button>
        {cost && (
          <button type="button" className="btn btn-outline-secondary" onClick={() => setCost(null)}>
            Not now
          </button>
        )}
      </div>
    </form>
  );
}
