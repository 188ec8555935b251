import { type FormEvent, type KeyboardEvent, useState } from "react";
import { FileCards } from "../../../../components/FileCards";
import { useAction } from "../../../../lib/hooks/useAction";
import { messageOf } from "../../../../lib/problems";
import type { SentFile } from "../../../../lib/wire";

interface Props {
  text: string;
  /** The files that came with it: they come with it again. */
  files: readonly SentFile[];
  /** Say it so instead. Rejects where that could not be done. */
  onSend: (text: string) => Promise<void>;
  onClose: () => void;
}

/** A message of one's own, where it stands, to be said in other words. What was said before stays as a variant. */
export function EditMessage({ text, files, onSend, onClose }: Props) {
  const [words, setWords] = useState(text);
  const sending = useAction();
  const said = words.trim();
  const sendable = said !== "" || files.length > 0;

  function send(event: FormEvent | KeyboardEvent) {
    event.preventDefault();
    if (sendable && !sending.working) sending.run(() => onSend(said));
  }

  function onKeyDown(event: KeyboardEvent) {
    if (event.key === "Escape") {
      event.preventDefault();
      onClose();
    }
    if (event.key === "Enter" && !event.shiftKey) send(event);
  }

  return (
    <form className="edit-message" aria-label="Edit the message" onSubmit={send}>
      <textarea
        className="form-control"
        aria-label="Your message"
        rows={Math.min(12, Math.max(2, words.split("\n").length))}
        value={words}
        // biome-ignore lint/a11y/noAutofocus: the user has just asked to edit it
        autoFocus
        onFocus={({ target }) => target.setSelectionRange(target.value.length, target.value.length)}
        onChange={({ target }) => setWords(target.value)}
        onKeyDown={onKeyDown}
      />
      <FileCards label="Files" files={files} />
      {sending.failure !== null && (
        <p className="text-problem" role="alert">
          It was not sent: {messageOf(sending.failure)} What you wrote is still here.
        </p>
      )}
      <div className="edit-message-foot">
        <span className="text-body-secondary">The old version stays; switch with ‹ ›.</span>
        <button type="button" className="btn btn-sm btn-outline-secondary" onClick={onClose}>
          Cancel
        </button>
        <button type="submit" className="btn btn-sm btn-primary" disabled={!sendable || sending.working}>
          {sending.working ? "Sending…" : "Send"}
        </button>
      </div>
    </form>
  );
}
