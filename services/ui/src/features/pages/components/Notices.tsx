import { useUnhurried } from "../../../lib/hooks/useUnhurried";
import { leftOut, requestedWords } from "../../../lib/requested";
import { chatHref } from "../../../lib/route";
import type { AskedOfPerson } from "../fold/asked";
import type { Sharing } from "../fold/sharing";
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
  const unhurried = useUnhurried(wish);
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
      {asking.asked && "sends" in asking.asked && (
        <SendingNotice asked={asking.asked.sends} settle={asking.settle} />
      )}
      {asking.asked && "shares" in asking.asked && (
        <SharingNotice sharing={asking.asked.shares} settle={asking.settle} />
      )}
      {wish && (
        <div className="alert alert-info" role="alertdialog" aria-label="The page wants to say something">
          The page wants to say to the agent, as you:
          <blockquote className="page-wish">{wish.text}</blockquote>
          <button
            type="button"
            className="btn btn-sm btn-primary"
            disabled={!unhurried}
            onClick={() => wish.settle(true)}
          >
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
function SendingNotice({ asked, settle }: { asked: AskedOfPerson; settle: Asking["settle"] }) {
  const unhurried = useUnhurried(asked);
  return (
    <div className="alert alert-warning" role="alertdialog" aria-label="The page wants to send something">
      The page's function <strong>{asked.name}</strong> wants to send{" "}
      <code>{asked.requested ? requestedWords(asked.requested) : asked.host}</code>. {asked.rule}.{" "}
      {asked.requested && leftOut(asked.requested)}
      <div className="page-answers">
        <button
          type="button"
          className="btn btn-sm btn-primary"
          disabled={!unhurried}
          onClick={() => settle("once")}
        >
          Allow once
        </button>
        <button
          type="button"
          className="btn btn-sm btn-outline-secondary"
          disabled={!unhurried}
          onClick={() => settle("always")}
        >
          Always
        </button>
        <button type="button" className="btn btn-sm btn-outline-secondary" onClick={() => settle("refuse")}>
          Refuse
        </button>
      </div>
    </div>
  );
}

/** What the page wants to let the agent do with a tab of notes. */
function SharingNotice({ sharing, settle }: { sharing: Sharing; settle: Asking["settle"] }) {
  const unhurried = useUnhurried(sharing);
  return (
    <div className="alert alert-warning" role="alertdialog" aria-label="The page wants to share notes">
      The page wants to let the agent {sharing.may} the notes in <strong>{sharing.tab}</strong>.
      <div className="page-answers">
        <button
          type="button"
          className="btn btn-sm btn-primary"
          disabled={!unhurried}
          onClick={() => settle("once")}
        >
          Let it
        </button>
        <button type="button" className="btn btn-sm btn-outline-secondary" onClick={() => settle("refuse")}>
          Refuse
        </button>
      </div>
    </div>
  );
}
