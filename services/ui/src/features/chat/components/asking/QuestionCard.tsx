import { type FormEvent, useId, useState } from "react";
import { Icon } from "../../../../components/Icon";
import { Markdown } from "../../../../components/markdown/Markdown";
import type { ToolCall } from "../../../../lib/wire";
import type { Answering } from "../../api/state";
import { type Answer, answerOf, questionOf } from "../../fold/question";

interface Props {
  call: ToolCall;
  answering: Answering | undefined;
  onAnswer: (callId: string, answer: Answer) => void;
}

/** A question of the agent: choose an option or write an answer. Closed once answered, here or anywhere. */
export function QuestionCard({ call, answering, onAnswer }: Props) {
  const [text, setText] = useState("");
  const id = useId();
  const question = questionOf(call);
  const given =
    answerOf(call) ??
    (answering && answering.state !== "failed"
      ? String("answer" in answering.answer ? answering.answer.answer : "")
      : null);
  const open = call.status === "pending" && answering?.state !== "accepted" && answering?.state !== "sending";

  function submit(event: FormEvent) {
    event.preventDefault();
    const answer = text.trim();
    if (answer && open) onAnswer(call.call_id, { answer, from_options: false });
  }

  return (
    <article className={`question ${open ? "is-open" : ""}`} aria-labelledby={`${id}-text`}>
      <div className="question-head">
        <Icon name="question" size={18} />
        <div id={`${id}-text`} className="question-text">
          <Markdown text={question.text} />
        </div>
      </div>
      {question.options.length > 0 && (
        <div className="question-options">
          {question.options.map((option) => (
            <button
              type="button"
              key={option}
              className={`btn btn-sm ${option === given ? "btn-primary" : "btn-outline-primary"}`}
              aria-pressed={option === given}
              disabled={!open}
              onClick={() => onAnswer(call.call_id, { answer: option, from_options: true })}
            >
              {option === given && <Icon name="check" size={14} />} {option}
            </button>
          ))}
        </div>
      )}
      {open && (
        <form className="question-form" onSubmit={submit}>
          <label className="visually-hidden" htmlFor={`${id}-answer`}>
            Your answer
          </label>
          <input
            id={`${id}-answer`}
            className="form-control form-control-sm"
            placeholder={question.options.length ? "Or write an answer" : "Write an answer"}
            autoComplete="off"
            value={text}
            onChange={(event) => setText(event.target.value)}
          />
          <button type="submit" className="btn btn-sm btn-primary" disabled={!text.trim()}>
            Answer
          </button>
        </form>
      )}
      <Outcome
        call={call}
        given={given}
        answering={answering}
        listed={given !== null && question.options.includes(given)}
      />
    </article>
  );
}

interface OutcomeProps {
  call: ToolCall;
  given: string | null;
  answering: Answering | undefined;
  listed: boolean;
}

function Outcome({ call, given, answering, listed }: OutcomeProps) {
  if (call.status === "cancelled" || call.status === "failed") {
    return <p className="question-outcome">Closed. {call.error?.message}</p>;
  }
  if (answering?.problem) {
    return (
      <p className="question-outcome text-problem" role="alert">
        {answering.problem}
      </p>
    );
  }
  if (given !== null && !listed) {
    return (
      <p className="question-outcome">
        <Icon name="check" size={14} /> {given}
      </p>
    );
  }
  return answering?.state === "sending" ? <p className="question-outcome">Sending…</p> : null;
}
