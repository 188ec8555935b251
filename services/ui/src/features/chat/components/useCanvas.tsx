import { type ReactNode, useCallback, useRef, useState } from "react";
import { CanvasFrame } from "../../../components/CanvasFrame";
import { chatHref, go } from "../../../lib/route";
import { DISMISSED, type Draw, titleOf, versionOf } from "../../../lib/shown";
import type { ToolCall } from "../../../lib/wire";
import type { OpenChat } from "../api/openChat";
import type { ChatState } from "../api/state";
import { type CanvasChoice, inCanvas, NOTHING_CHOSEN } from "../fold/shown";

interface Canvas {
  /** Null where nothing stands there. */
  canvas: ReactNode | null;
  /** Show the component of a call. Stable over renders. */
  openCanvas: (callId: string) => void;
}

/** The component that stands beside the chat. `taken`: something else stands there by its own address. */
export function useCanvas(chat: OpenChat | null, state: ChatState, draw: Draw, taken: boolean): Canvas {
  const [choice, setChoice] = useState<CanvasChoice>(NOTHING_CHOSEN);
  const { view, answering } = state;
  const latest = useRef(view);
  latest.current = view;
  const openCanvas = useCallback(
    (callId: string) => {
      const waited = latest.current?.calls[callId]?.status === "pending";
      setChoice(({ shut }) => ({ opened: { callId, waited }, shut: shut.filter((id) => id !== callId) }));
      if (taken && latest.current) go(chatHref(latest.current.session.id));
    },
    [taken],
  );
  const call = view && !taken ? inCanvas(view, choice) : null;
  if (!chat || !view || !call) return { canvas: null, openCanvas };
  const { call_id: callId } = call;
  const canvas = (
    <CanvasFrame
      key={callId}
      title={titleOf(call)}
      note={versionOf(call)}
      tools={<Dismiss call={call} onDismiss={() => void chat.answer(callId, DISMISSED)} />}
      onClose={() => setChoice(({ shut }) => ({ opened: null, shut: [...shut, callId] }))}
    >
      {draw({
        call,
        sessionId: view.session.id,
        agentId: view.session.agent_id,
        answering: answering[callId],
        onAnswer: (answer) => void chat.answer(callId, answer),
      })}
    </CanvasFrame>
  );
  return { canvas, openCanvas };
}

function Dismiss({ call, onDismiss }: { call: ToolCall; onDismiss: () => void }) {
  if (call.status !== "pending") return null;
  return (
    <button type="button" className="btn btn-sm btn-link" onClick={onDismiss}>
      Dismiss
    </button>
  );
}
