import type { ReactNode } from "react";
import { Logo } from "../../../../components/Logo";
import type { Installation } from "../../api/installation";
import { DEMO_CHIPS, FIRST_CHIPS } from "../../fold/chips";
import "../../welcome.css";

interface Props {
  /** Null until it is known. */
  installation: Installation | null;
  busy: boolean;
  onSend: (text: string) => void;
  /** Put into the box, to be finished there. */
  onPutIn: (text: string) => void;
  /** The way to a model of one's own. */
  connect: ReactNode;
}

/** What this is, and what one can try first. */
export function Welcome({ installation, busy, onSend, onPutIn, connect }: Props) {
  const demo = installation?.demo ?? false;
  return (
    <div className="welcome">
      <Logo />
      <h2>Foldline</h2>
      <p className="welcome-lead">The personal agent you can rewind.</p>
      <p className="text-body-secondary">
        It answers, works with tools, and makes tools and pages of its own. Every step is kept: open a chat's
        History to look at any moment, undo from there, or go another way.
      </p>
      <div className="suggestions">
        {(installation === null ? [] : demo ? DEMO_CHIPS : FIRST_CHIPS).map(({ label, text, send }) => (
          <button
            type="button"
            key={label}
            className="btn btn-outline-primary"
            disabled={busy}
            onClick={() => (send ? onSend(text) : onPutIn(text))}
          >
            {label}
          </button>
        ))}
      </div>
      {demo && (
        <div className="welcome-demo">
          <p>
            This is the demo model: it plays scripts, but every step is real and recorded. Connect a model of
            your own when you like.
          </p>
          {connect}
        </div>
      )}
    </div>
  );
}
