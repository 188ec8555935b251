import { useEffect, useRef, useState } from "react";
import { Icon } from "../../../components/Icon";
import { Logo } from "../../../components/Logo";
import { PageLayout } from "../../../components/PageLayout";
import { messageOf } from "../../../lib/problems";
import type { Session } from "../../../lib/wire";
import { type Beginning, beginChat, sameBeginning } from "../api/beginning";
import { keepDraft } from "../api/drafts";
import { type Installation, readInstallation } from "../api/installation";
import type { Attached } from "../fold/attached";
import { Composer } from "./Composer";
import "../chat.css";

const DRAFT = "new";

const SUGGESTIONS: { label: string; text: string; send: boolean }[] = [
  { label: "Ask me something", text: "Ask me something", send: true },
  { label: "Show progress", text: "Show progress", send: true },
  { label: "Remember …", text: "Remember that ", send: false },
];

interface Props {
  /** Text to begin with: the last message of a chat that failed. */
  offered: { text: string } | null;
  autoFocus: boolean;
  onCreated: (session: Session) => void;
}

/** The empty state: greets, says what answers here, and starts a chat with the first message. */
export function NewChat({ offered, autoFocus, onCreated }: Props) {
  const [installation, setInstallation] = useState<Installation | null>(null);
  const [putIn, setPutIn] = useState(offered);
  const [busy, setBusy] = useState(false);
  const [problem, setProblem] = useState<string | null>(null);
  // The same again after a failure is the same beginning: it never makes a second chat.
  const beginning = useRef<Beginning | null>(null);

  useEffect(() => {
    const gone = new AbortController();
    readInstallation(gone.signal).then(setInstallation, () => setInstallation(null));
    return () => gone.abort();
  }, []);

  useEffect(() => setPutIn(offered), [offered]);

  async function start(text: string, attached: readonly Attached[] = []) {
    if (busy) return;
    setBusy(true);
    setProblem(null);
    const picked = attached.flatMap(({ file, path }) => (file ? [{ file, path }] : []));
    beginning.current = sameBeginning(beginning.current, text, picked);
    try {
      const session = await beginChat(beginning.current);
      keepDraft(DRAFT, "");
      onCreated(session);
    } catch (error) {
      setProblem(messageOf(error));
      setPutIn({ text });
      setBusy(false);
    }
  }

  return (
    <PageLayout label="New chat" heading="New chat" className="chat">
      <div className="welcome">
        <Logo />
        <h2>What can I do for you?</h2>
        <p className="text-body-secondary">
          {installation?.demo
            ? "This is the demo model: it plays scripts, but every step is real and recorded. Try one of these."
            : "Every step of the conversation is recorded and survives a restart."}
        </p>
        {installation?.demo && (
          <div className="suggestions">
            {SUGGESTIONS.map(({ label, text, send }) => (
              <button
                type="button"
                key={label}
                className="btn btn-outline-primary"
                disabled={busy}
                onClick={() => (send ? void start(text) : setPutIn({ text }))}
              >
                {label}
              </button>
            ))}
          </div>
        )}
        {installation?.model && !installation.demo && (
          <p className="small text-body-secondary">
            Model: <code>{installation.model}</code>
          </p>
        )}
      </div>
      <div className="chat-foot">
        {problem && (
          <div className="alert alert-danger chat-notice" role="alert">
            <Icon name="warning" size={15} /> {problem}
          </div>
        )}
        <Composer
          draftKey={DRAFT}
          sessionId={null}
          keepsText
          placeholder="Message"
          busy={busy}
          autoFocus={autoFocus}
          offered={putIn}
          onSend={(text, attached) => void start(text, attached)}
        />
      </div>
    </PageLayout>
  );
}
