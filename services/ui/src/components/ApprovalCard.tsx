import { type FormEvent, useId, useState } from "react";
import {
  type Approval,
  type ApprovalAnswer,
  type Asks,
  commandIn,
  coverWords,
  type Decision,
} from "../lib/approvals";
import { exact, spelledOut } from "../lib/jsonText";
import { leftOut, type Requested, requestedWords } from "../lib/requested";
import { Diff } from "./Diff";
import { Icon } from "./Icon";
import { CodeBlock } from "./markdown/CodeBlock";
import "./approval.css";

interface Props {
  tool: string;
  args: Readonly<Record<string, unknown>>;
  approval: Approval;
  /** False while an answer is on its way, and once there is one. */
  open: boolean;
  problem: string | null;
  onAnswer: (answer: ApprovalAnswer) => void;
}

/** A call that runs only with a person's yes: exactly what would run, why it is asked, and the answers. */
export function ApprovalCard({ tool, args, approval, open, problem, onAnswer }: Props) {
  const id = useId();
  const asWritten = exact(args);
  const [written, setWritten] = useState<string | null>(null);
  const [refusing, setRefusing] = useState(false);
  const edited = written === null || written === asWritten ? undefined : parsed(written);
  const allow = (decision: Decision) => onAnswer(edited ? { decision, arguments: edited } : { decision });
  const canAllow = open && edited !== null;
  return (
    <article className={`approval ${open ? "is-open" : ""}`} aria-labelledby={`${id}-what`}>
      <p id={`${id}-what`} className="approval-what">
        <Icon name="key" size={18} />
        <span>{question(tool, args, approval)}</span>
      </p>
      <p className="approval-why">{approval.rule}.</p>
      {approval.covers && approval.ran && !approval.requested && !approval.asks && (
        <p className="approval-why">{coverWords(approval.covers)}</p>
      )}
      {approval.asks ? (
        <Asked asks={approval.asks} />
      ) : (
        approval.requested && <Request requested={approval.requested} />
      )}
      {approval.outside.length > 0 && <Outside sources={approval.outside} />}
      {written === null ? (
        <Runs args={args} />
      ) : (
        <>
          <label htmlFor={`${id}-arguments`}>Arguments</label>
          <textarea
            id={`${id}-arguments`}
            className={`form-control font-monospace ${edited === null ? "is-invalid" : ""}`}
            // biome-ignore lint/a11y/noAutofocus: the user has just asked for it
            autoFocus
            rows={Math.min(12, written.split("\n").length + 1)}
            value={written}
            onChange={(event) => setWritten(event.target.value)}
          />
          {edited === null && <p className="text-problem">This is not a JSON object.</p>}
        </>
      )}
      {approval.before && (
        <details>
          <summary>Differences from the last call that you allowed</summary>
          <Diff before={exact(approval.before)} after={asWritten} label="Differences" />
        </details>
      )}
      {open && (
        <div className="approval-answers">
          <Button words="Allow once" primary disabled={!canAllow} onPress={() => allow("once")} />
          {approval.covers && (
            <>
              <Button
                words={approval.commands ? "This command in this chat" : "For this chat"}
                disabled={!canAllow}
                onPress={() => allow("session")}
              />
              {approval.commands && (
                <Button
                  words="Commands in this chat"
                  disabled={!canAllow}
                  onPress={() => allow("commands")}
                />
              )}
              <Button words="Always" disabled={!canAllow} onPress={() => allow("always")} />
            </>
          )}
          {!approval.ran && written === null && <Button words="Edit" onPress={() => setWritten(asWritten)} />}
          {!refusing && <Button words="Refuse" onPress={() => setRefusing(true)} />}
        </div>
      )}
      {open && approval.covers && !edited && (
        <p className="approval-covers">
          <em>{approval.commands ? "This command in this chat" : "For this chat"}</em> and <em>Always</em>{" "}
          cover exactly this: {coverWords(approval.covers)}. <em>Always</em> also allows the other calls of
          the agent that wait for this now.
          {approval.commands && (
            <>
              {" "}
              <em>Commands in this chat</em> allows any command in the same sandbox. Requests that commands
              send are still checked one by one.
            </>
          )}
        </p>
      )}
      {open && refusing && (
        <Refusal id={id} onRefuse={(reason) => onAnswer({ decision: "refuse", reason })} />
      )}
      {problem && (
        <p className="text-problem" role="alert">
          {problem}
        </p>
      )}
    </article>
  );
}

/** A run can be held where it asks; one that was stopped can only be made again. */
function question(tool: string, args: Props["args"], { ran, held }: Approval) {
  if (!ran && !held && commandIn(args)) return <strong>Allow this command?</strong>;
  const name = <strong>{tool}</strong>;
  if (held) return <>{name} waits for your approval. It continues when you answer.</>;
  return ran ? <>{name} was stopped. Allow it to run again?</> : <>Allow {name}?</>;
}

/** A command as one types it; what else a call is given, as JSON. */
function Runs({ args }: { args: Props["args"] }) {
  const typed = commandIn(args);
  if (!typed) return <CodeBlock label="Exactly what runs">{exact(args)}</CodeBlock>;
  return (
    <>
      <CodeBlock label="Exactly what runs">{typed.command}</CodeBlock>
      {typed.others && <CodeBlock label="Its other arguments">{exact(typed.others)}</CodeBlock>}
    </>
  );
}

function Asked({ asks }: { asks: Asks }) {
  return (
    <>
      <p className="approval-why">
        Its code wants to call <strong>{spelledOut(asks.tool)}</strong>. <em>Allow once</em> covers exactly
        this call:
      </p>
      <CodeBlock label="The call that its code wants to make">{exact(asks.arguments)}</CodeBlock>
    </>
  );
}

function Request({ requested }: { requested: Requested }) {
  const cut = leftOut(requested);
  return (
    <>
      <p className="approval-why">It wants to send this:</p>
      <CodeBlock label="The request that it wants to send">{requestedWords(requested)}</CodeBlock>
      {cut && <p className="approval-why">{cut}</p>}
    </>
  );
}

function Outside({ sources }: { sources: Approval["outside"] }) {
  const names = [...new Set(sources.map(({ name }) => name))];
  return (
    <p className="approval-outside">
      <Icon name="warning" size={14} /> The agent read text from outside before this: {names.join(", ")}.
    </p>
  );
}

interface ButtonProps {
  words: string;
  primary?: boolean;
  disabled?: boolean;
  onPress: () => void;
}

function Button({ words, primary = false, disabled = false, onPress }: ButtonProps) {
  return (
    <button
      type="button"
      className={`btn btn-sm ${primary ? "btn-primary" : "btn-outline-secondary"}`}
      disabled={disabled}
      onClick={onPress}
    >
      {words}
    </button>
  );
}

function Refusal({ id, onRefuse }: { id: string; onRefuse: (reason: string) => void }) {
  const [reason, setReason] = useState("");
  function submit(event: FormEvent) {
    event.preventDefault();
    onRefuse(reason.trim());
  }
  return (
    <form className="approval-refusal" onSubmit={submit}>
      <label className="visually-hidden" htmlFor={`${id}-reason`}>
        Why you refuse
      </label>
      <input
        id={`${id}-reason`}
        className="form-control form-control-sm"
        placeholder="Why (the agent reads it)"
        // biome-ignore lint/a11y/noAutofocus: the user has just asked for it
        autoFocus
        autoComplete="off"
        maxLength={2000}
        value={reason}
        onChange={(event) => setReason(event.target.value)}
      />
      <button type="submit" className="btn btn-sm btn-outline-danger">
        Refuse it
      </button>
    </form>
  );
}

/** The arguments as they were written; null: not an object. */
function parsed(text: string): Record<string, unknown> | null {
  try {
    const value: unknown = JSON.parse(text);
    const isObject = typeof value === "object" && value !== null && !Array.isArray(value);
    return isObject ? (value as Record<string, unknown>) : null;
  } catch {
    return null;
  }
}
