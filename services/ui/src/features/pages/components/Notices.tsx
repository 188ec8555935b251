import { chatHref } from "../../../lib/route";
import type { Asking } from "./useAsking";
import type { Saying } from "./useSaying";

interface Props {
  saying: Saying;
  asking: Asking;
  silent: boolean;
  stopped: string | null;
  onStop: () => void;
  onRestart: () => void;
}

/** What there is to tell of a page, and to decide: above it, since the page itself can't be trusted with it. */
export function Notices({ saying, asking, silent, stopped, onStop, onRestart }: Props) {
  const { wish, said, problem } = saying;
  return (
    <div className="page-notices" aria-live="polite">
      {stopped !== null && (
        <div className="alert alert-warning" role="alert">
          <strong>The page was stopped.</strong> {stopped}{" "}
          <button type="button" className="btn btn-sm btn-outline-secondary" onClick={onRestart}>
            Start again
          </button>
        </div>
      )}
      {silent && (
        <div className="alert alert-warning" role="alert">
          The page doesn't answer: its code may be in an endless loop.{" "}
          <button type="button" className="btn btn-sm btn-outline-secondary" onClick={onStop}>
            Stop page
          </button>
        </div>
      )}
      {asking.asked && <SendingNotice asking={asking} />}
      {wish && (
        <div className="alert alert-info" role="alertdialog" aria-label="The page wants to say something">
          The page wants to say to the agent, as you:
          <blockquote className="page-wish">{wish.text}</blockquote>
          <button type="button" className="btn btn-sm btn-primary" onClick={() => wish.settle(true)}>
            Send
          </button>{" "}
          <button
            type="button"
            className="btn btn-sm btn-outline-secondary"
            onClick={() => wish.settle(false)}
          >
            Don't
          </button>
        </div>
      )}
      {said && !problem && (
        <div className="alert alert-success">
          Sent. <a href={chatHref(said)}>Open the chat</a>
        </div>
      )}
      {problem && (
        <div className="alert alert-danger" role="alert">
          Nothing was sent: {problem}
        </div>
      )}
    </div>
  );
}

/** What a function of the page wants to send, and the answers to that. */
function SendingNotice({ asking: { asked, settle } }: { asking: Asking }) {
  if (!asked) return null;
  return (
    <div className="alert alert-warning" role="alertdialog" aria-label="The page wants to send something">
      The page's function <strong>{asked.name}</strong> wants to send{" "}
      <code>
        {asked.method} {asked.host}
      </code>
      . {asked.rule}.
      <div className="page-answers">
        <button type="button" className="btn btn-sm btn-primary" onClick={() => settle("once")}>
          Allow once
        </button>
        <button type="button" className="btn btn-sm btn-outline-secondary" onClick={() => settle("always")}>
          Always
        </button>
        <button type="button" className="btn btn-sm btn-outline-secondary" onClick={() => settle("refuse")}>
          Refuse
        </button>
      </div>
    </div>
  );
}
