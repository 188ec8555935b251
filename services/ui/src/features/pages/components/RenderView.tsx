import { useEffect, useState } from "react";
import { messageOf } from "../../../lib/problems";
import { retrying } from "../../../lib/retrying";
import type { Shown } from "../../../lib/shown";
import { type Page, pageRequests } from "../api/requests";
import { inlinePage, storedOf } from "../fold/render";
import { RunningPage } from "./RunningPage";

/** What a component says is said in the chat beside it. */
const nothingNew = () => {};

/** The component of a `render_and_wait` call, as it was when the agent made the call. */
export function RenderView({ call, sessionId, agentId, answering, onAnswer, past = false }: Shown) {
  const { page, problem } = useComponent(agentId, call);
  const [start, setStart] = useState(0);
  const waits = call.status === "pending";
  return (
    <>
      {(problem ?? answering?.problem) && (
        <div className="alert alert-warning render-problem" role="alert">
          {problem ? `This component can't be shown: ${problem}` : answering?.problem}
        </div>
      )}
      {page && (
        <RunningPage
          key={start}
          {...{ agentId, page, sessionId }}
          onNew={nothingNew}
          onRestart={() => setStart(start + 1)}
          past={past ? call.request_address : null}
          onAct={waits ? (action, payload) => onAnswer({ ...payload, action }) : undefined}
        />
      )}
    </>
  );
}

interface Found {
  page: Page | null;
  problem: string | null;
}

/** The component with its props: written in the call, or stored and read as of the event that wrote it. */
function useComponent(agentId: string, call: Shown["call"]): Found {
  const [found, setFound] = useState<Found>({ page: null, problem: null });
  const told = JSON.stringify(call.show ?? {});
  const at = call.request_address;
  useEffect(() => {
    const show = JSON.parse(told) as Record<string, unknown>;
    const stored = storedOf(show);
    if (!stored) {
      setFound({ page: inlinePage(show, at), problem: null });
      return;
    }
    let left = false;
    retrying(() => pageRequests(agentId).page(stored.name, stored.at)).then(
      (page) => !left && setFound({ page: { ...page, props: stored.props, at }, problem: null }),
      (error) => !left && setFound({ page: null, problem: messageOf(error) }),
    );
    return () => {
      left = true;
    };
  }, [agentId, told, at]);
  return found;
}
