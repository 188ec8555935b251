import { NEW_CHAT } from "../../../../lib/route";
import { BY_ITSELF } from "../../../../lib/words";
import type { LoadFailed } from "../../api/state";

/** Shown while a chat is read; only after a moment, so that a fast answer does not flicker. */
export function Loading() {
  return (
    <div className="chat-centre loading" role="status">
      <span className="spinner-border spinner-border-sm" aria-hidden="true" />
      <span className="ms-2 text-body-secondary">Opening the chat…</span>
    </div>
  );
}

interface Props {
  failure: LoadFailed;
  onRetry: () => void;
}

/** Why a chat could not be opened, and what to do. */
export function LoadFailure({ failure, onRetry }: Props) {
  const erased = failure.kind === "erased";
  const missing = erased || failure.kind === "not_found" || failure.kind === "invalid_id";
  const missed = erased ? "This chat was deleted" : "This chat doesn't exist";
  return (
    <div className="chat-centre" role="alert">
      <h2 className="h5">{missing ? missed : "The chat can't be opened now"}</h2>
      <p className="text-body-secondary">
        {erased ? "It was deleted permanently. Your other chats are not affected." : failure.message}{" "}
        {failure.passes && BY_ITSELF}
      </p>
      {missing ? (
        <a className="btn btn-primary" href={NEW_CHAT}>
          New chat
        </a>
      ) : (
        <button type="button" className="btn btn-primary" onClick={onRetry}>
          Try again
        </button>
      )}
    </div>
  );
}
