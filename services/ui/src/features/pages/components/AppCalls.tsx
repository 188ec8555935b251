import { useCallback, useState } from "react";
import { Icon } from "../../../components/Icon";
import { address } from "../../../lib/api";
import { useRead } from "../../../lib/hooks/useRead";
import { useTicks } from "../../../lib/hooks/useTicks";
import { messageOf } from "../../../lib/problems";
import type { CallOfApp } from "../../../lib/wire";
import { fullTime } from "../../../lib/words";
import { readAppCalls } from "../api/requests";
import { howItEnded, judgedWords, nameThere } from "../fold/appCallWords";

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
  const ticks = useTicks(LOOK_AGAIN_MS);
  const read = useCallback(
    async (signal: AbortSignal) => {
      const page = await readAppCalls(sessionId, callId, limit, signal);
      setWaits(page.calls.some((one) => one.finished_at === null));
      return page;
    },
    [sessionId, callId, limit],
  );
  const { value, failure } = useRead(read, `${ended} ${begun > ended || waits ? ticks : ""}`);
  if (failure !== null)
    return (
      <p className="message-foot" role="alert">
        What the app called can't be shown: {messageOf(failure)}
      </p>
    );
  if (value === null || value.calls.length === 0) return null;
  const { calls, next_cursor: more } = value;
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
        (limit < MOST ? (
          <button type="button" className="btn btn-sm btn-link" onClick={() => setLimit(MOST)}>
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
          <code>{nameThere(call.tool)}</code> {howItEnded(call)}
        </summary>
        <pre>{call.arguments}</pre>
        {said && <pre>{said}</pre>}
      </details>
      <span>
        {judgedWords(call)}, <time dateTime={call.at}>{fullTime(call.at)}</time>,{" "}
        <a href={address(`/agents/${agentId}/events/${call.address}`)} target="_blank" rel="noreferrer">
          event {call.address} <Icon name="external" size={13} />
        </a>
      </span>
    </li>
  );
}
