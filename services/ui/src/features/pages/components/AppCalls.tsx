import { useCallback, useState } from "react";
import { Icon } from "../../../components/Icon";
import { address } from "../../../lib/api";
import { useAction } from "../../../lib/hooks/useAction";
import { useRead } from "../../../lib/hooks/useRead";
import { useTicks } from "../../../lib/hooks/useTicks";
import { messageOf } from "../../../lib/problems";
import { retrying } from "../../../lib/retrying";
import type { CallOfApp, CallsOfApp } from "../../../lib/wire";
import { fullTime } from "../../../lib/words";
import { readAppCalls, stopAppCalls } from "../api/requests";
import { howItEnded, isInHand, judgedWords, nameThere } from "../fold/appCallWords";

/** So many are listed at first, and after *Show earlier ones*; the log has them all. */
const FIRST = 50;
const MOST = 200;
const LOOK_AGAIN_MS = 2_000;

interface Props {
  sessionId: string;
  callId: string;
  agentId: string;
  made: { begun: number; ended: number };
}

/** What an app called, as the log has it: for the person before it, now and whenever the chat is opened again. */
export function AppCalls({ sessionId, callId, agentId, made: { begun, ended } }: Props) {
  const [limit, setLimit] = useState(FIRST);
  const [waits, setWaits] = useState(false);
  const stopping = useAction();
  const ticks = useTicks(LOOK_AGAIN_MS);
  const read = useCallback(
    async (signal: AbortSignal) => {
      const page = await readAppCalls(sessionId, callId, limit, signal);
      setWaits(page.items.some((one) => isInHand(one, Date.now())));
      return page;
    },
    [sessionId, callId, limit],
  );
  const inHand = begun > ended || waits;
  const { value, failure } = useRead(read, `${ended} ${inHand ? ticks : ""}`);
  if (failure !== null)
    return (
      <p className="message-foot" role="alert">
        What the app called can't be shown: {messageOf(failure)}
      </p>
    );
  const stop = () => stopping.run(() => retrying(() => stopAppCalls(sessionId, callId)));
  return (
    <>
      {inHand && (
        <p className="message-foot" role="status">
          A call of the app has no answer yet.
          <button
            type="button"
            className="btn btn-sm btn-outline-secondary"
            disabled={stopping.working}
            onClick={stop}
          >
            Stop it
          </button>
          {stopping.failure !== null && <span role="alert">{messageOf(stopping.failure)}</span>}
        </p>
      )}
      {value !== null && value.items.length > 0 && (
        <Calls page={value} agentId={agentId} onMore={limit < MOST ? () => setLimit(MOST) : null} />
      )}
    </>
  );
}

interface CallsProps {
  page: CallsOfApp;
  agentId: string;
  /** Null: no more are listed. */
  onMore: (() => void) | null;
}

function Calls({ page: { items: calls, next_cursor: more }, agentId, onMore }: CallsProps) {
  const failed = calls.filter((one) => one.error !== null).length;
  return (
    <details className="app-calls">
      <summary>
        The app called{" "}
        {calls.length === 1 ? "a tool" : `tools ${more ? "more than " : ""}${calls.length} times`}
        {failed > 0 && `, ${failed} gave nothing`}
      </summary>
      <ul>
        {calls.map((one) => (
          <Line key={one.call_id} call={one} agentId={agentId} />
        ))}
      </ul>
      {more !== null &&
        (onMore ? (
          <button type="button" className="btn btn-sm btn-link" onClick={onMore}>
            Show earlier ones
          </button>
        ) : (
          <p>Earlier ones are in the log.</p>
        ))}
    </details>
  );
}

function Line({ call, agentId }: { call: CallOfApp; agentId: string }) {
  const said = call.result ?? call.error?.message;
  return (
    <li>
      <details>
        <summary>
          <code>{nameThere(call.tool)}</code> {howItEnded(call, Date.now())}
        </summary>
        <pre>{call.arguments}</pre>
        {said && <pre>{said}</pre>}
      </details>
      <span>
        {judgedWords(call)}, <time dateTime={call.requested_at}>{fullTime(call.requested_at)}</time>,{" "}
        <a href={address(`/agents/${agentId}/events/${call.address}`)} target="_blank" rel="noreferrer">
          event {call.address} <Icon name="external" size={13} />
        </a>
      </span>
    </li>
  );
}
