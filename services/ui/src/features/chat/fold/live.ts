/** How the pieces of a streaming answer add up. Best effort: the recorded message always supersedes them. */
import type { Delta } from "../../../contracts/events";
import type { ChatView, LiveAnswer } from "./view";

/** The view after one more piece. Pieces of another call than the open one, or of an earlier attempt, are dropped. */
export function withDelta(view: ChatView, delta: Delta): ChatView {
  if (view.modelCall !== null && view.modelCall !== delta.call_id) return view;
  if (view.modelCall === null && view.session.status !== "running") return view;
  const current = view.live?.callId === delta.call_id ? view.live : null;
  if (current && delta.attempt < current.attempt) return view;
  const base = current && delta.attempt === current.attempt ? current : empty(delta);
  if (delta.index < base.next) return view;
  return { ...view, live: extended(base, delta) };
}

function empty(delta: Delta): LiveAnswer {
  return { callId: delta.call_id, attempt: delta.attempt, next: 0, text: "", tools: [], gaps: false };
}

function extended(live: LiveAnswer, delta: Delta): LiveAnswer {
  const missing = delta.index > live.next;
  const tool = delta.tool ?? null;
  const begun = tool !== null && live.tools.at(-1) !== tool;
  return {
    ...live,
    next: delta.index + 1,
    text: `${live.text}${missing ? " … " : ""}${delta.text ?? ""}`,
    tools: begun ? [...live.tools, tool] : live.tools,
    gaps: live.gaps || missing,
  };
}
