import { useId } from "react";
import { addressOf, before, placeOf } from "../lib/address";
import { address } from "../lib/api";
import { contentHref } from "../lib/files";
import { useKeptOpen } from "../lib/hooks/useKeptOpen";
import { pretty } from "../lib/jsonText";
import { chatHref } from "../lib/route";
import { count, members, text, textOrNull } from "../lib/shape";
import { isWorkedOn, titleOf } from "../lib/shown";
import { endingOf, oneLine, outcomeWords } from "../lib/toolWords";
import type { CallAccounting, Child, ToolCall, ToolCallStatus } from "../lib/wire";
import { bytes, compactCount, count as inFigures, span } from "../lib/words";
import { AsWritten } from "./AsWritten";
import { Icon, type IconName } from "./Icon";
import { CodeBlock } from "./markdown/CodeBlock";
import { OutsideLine } from "./OutsideLine";
import { StatusDot } from "./StatusDot";

const STATUS: Record<ToolCallStatus, { words: string; icon: IconName | null }> = {
  planned: { words: "Planned", icon: "clock" },
  requested: { words: "Running", icon: null },
  running: { words: "Running", icon: null },
  pending: { words: "Waiting", icon: "clock" },
  completed: { words: "Done", icon: "check" },
  failed: { words: "Failed", icon: "cross" },
  cancelled: { words: "Cancelled", icon: "ban" },
};

interface Props {
  call: ToolCall;
  sessionId: string;
  /** The session that the call made. */
  child?: Child | null;
  /** It is open to begin with. */
  unfolded?: boolean;
}

/** One tool call: a line that opens to arguments, result and where to find its events. */
export function ToolCard({ call, sessionId, child = null, unfolded = false }: Props) {
  const [open, toggle] = useKeptOpen(`tool ${call.request_address} ${call.call_id}`, unfolded);
  const id = useId();
  const { words, icon } = STATUS[call.status];
  const took = call.finished_at === null ? null : (call.accounting?.duration_ms ?? null);
  return (
    <article className={`tool tool-${call.status}`} aria-label={`Tool call ${call.tool}`}>
      <button type="button" className="tool-head" aria-expanded={open} aria-controls={id} onClick={toggle}>
        <span className="tool-status" title={words}>
          {icon ? (
            <Icon name={icon} size={15} />
          ) : (
            <span className="spinner-border spinner-border-sm" aria-hidden="true" />
          )}
          <span className="visually-hidden">{words}</span>
        </span>
        <span className="tool-name">{nameOfCall(call)}</span>
        <span className="tool-summary">
          {call.error ? whyNot(call.error) : isWorkedOn(call) ? titleOf(call) : null}
        </span>
        {took !== null && <span className="tool-time">{span(took)}</span>}
        <span className="tool-chevron">
          <Icon name="chevron" size={15} />
        </span>
      </button>
      {child && <ChildLine child={child} />}
      <div id={id} hidden={!open}>
        {open && <Details call={call} sessionId={sessionId} />}
      </div>
    </article>
  );
}

/** What did not succeed isn't told as done. */
function nameOfCall({ tool, arguments: args, status, error }: ToolCall): string {
  return outcomeWords(tool, args, endingOf(status, error?.kind));
}

/** Why it did not succeed, in one line. */
function whyNot({ kind, message }: NonNullable<ToolCall["error"]>): string {
  return oneLine(message) || kind.replaceAll("_", " ");
}

function ChildLine({ child }: { child: Child }) {
  return (
    <p className="tool-child">
      <StatusDot status={child.status} />
      <a href={chatHref(child.id)}>{child.title ?? "Sub-session"}</a>
      <span className="text-body-secondary">{compactCount(child.usage.tokens)} tokens</span>
    </p>
  );
}

function Details({ call, sessionId }: { call: ToolCall; sessionId: string }) {
  return (
    <div className="tool-body">
      <h2>Arguments</h2>
      <CodeBlock label="Arguments">{pretty(call.arguments)}</CodeBlock>
      <AsWritten call={call} />
      <Outcome call={call} />
      <OutsideLine sources={call.outside} className="tool-source" />
      <details className="tool-details">
        <summary>Details</summary>
        <dl className="tool-facts">
          <Fact name="Tool" value={call.tool} />
          <Fact name="Status" value={STATUS[call.status].words} />
          {call.accounting && <Accounting accounting={call.accounting} />}
          <Fact name="Runner" value={call.runner} />
          <Fact name="Effect" value={call.effect?.replaceAll("_", " ")} />
          <Fact name="Call" value={call.call_id} />
        </dl>
        <p className="tool-links">
          <RawEvent sessionId={sessionId} event={call.request_address} words="Open raw event: request" />
          <RawEvent sessionId={sessionId} event={call.result_address} words="Open raw event: result" />
        </p>
      </details>
    </div>
  );
}

/** What the call took and did besides its result; nothing where there was none of it. */
function Accounting({ accounting }: { accounting: CallAccounting }) {
  const { duration_ms, attempt, usage, sent, worked, sampled = [] } = accounting;
  return (
    <>
      <Fact name="Duration" value={duration_ms === undefined ? null : span(duration_ms)} />
      <Fact name="Attempts" value={attempt} />
      <Fact name="Tokens" value={usage && inFigures(usage.tokens)} />
      <Fact name="Outgoing requests" value={sent && sent.requests.length + (sent.more ?? 0)} />
      <Fact name="Commands" value={worked && worked.commands.length + (worked.more ?? 0)} />
      <Fact name="Questions to models" value={sampled.length || null} />
    </>
  );
}

function Outcome({ call }: { call: ToolCall }) {
  if (call.error) {
    const { kind, message, path, retryable } = call.error;
    return (
      <div className="tool-error">
        <h2>Error</h2>
        <p>
          <span className="badge text-bg-danger">{kind}</span> {message}
          {path && (
            <>
              {" "}
              (at <code>{path}</code>)
            </>
          )}
          {retryable && " It may succeed if tried again."}
        </p>
      </div>
    );
  }
  if (call.excerpt) {
    const { head, tail, blob, file_id } = call.excerpt;
    const fileId = textOrNull(file_id);
    return (
      <>
        <h2>
          Result: both ends of {bytes(count(members(blob).size))}{" "}
          {fileId && (
            <a href={contentHref(fileId)} download>
              Download the whole
            </a>
          )}
        </h2>
        <CodeBlock label="Result">{`${text(head)}\n⋯\n${text(tail)}`}</CodeBlock>
      </>
    );
  }
  if (call.status !== "completed") return null;
  return (
    <>
      <h2>Result</h2>
      <CodeBlock label="Result">{pretty(call.result)}</CodeBlock>
    </>
  );
}

function Fact({ name, value }: { name: string; value: string | number | null | undefined }) {
  if (value === null || value === undefined || value === "") return null;
  return (
    <div>
      <dt>{name}</dt>
      <dd>{value}</dd>
    </div>
  );
}

function RawEvent({ sessionId, event, words }: { sessionId: string; event: string | null; words: string }) {
  if (event === null) return null;
  const cursor = addressOf(before(placeOf(event)));
  return (
    <a href={address(`/sessions/${sessionId}/events`, { cursor, limit: 1 })} target="_blank" rel="noreferrer">
      {words} {event} <Icon name="external" size={13} />
    </a>
  );
}
