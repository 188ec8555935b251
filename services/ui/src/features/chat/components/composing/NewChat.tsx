import { type ReactNode, useEffect, useRef, useState } from "react";
import { Icon } from "../../../../components/Icon";
import { PageLayout } from "../../../../components/PageLayout";
import { useRead } from "../../../../lib/hooks/useRead";
import { messageOf } from "../../../../lib/problems";
import type { ChosenPrompt, Session } from "../../../../lib/wire";
import { type Beginning, beginChat, sameBeginning } from "../../api/beginning";
import { keepDraft } from "../../api/drafts";
import { type Installation, readAgents, readInstallation } from "../../api/installation";
import type { Attached } from "../../fold/attached";
import { AS_SET } from "../../fold/choosing";
import { Composer } from "./Composer";
import { Welcome } from "./Welcome";
import { WhoAnswers } from "./WhoAnswers";
import "../../chat.css";

const DRAFT = "new";

interface Props {
  /** Text to begin with: the last message of a chat that failed. */
  offered: { text: string } | null;
  autoFocus: boolean;
  onCreated: (session: Session) => void;
  /** The way to a model of one's own; it tells when one is connected. */
  connect: (onConnected: () => void) => ReactNode;
}

/** The empty state: greets, says what answers here, and starts a chat with the first message. */
export function NewChat({ offered, autoFocus, onCreated, connect }: Props) {
  const [installation, setInstallation] = useState<Installation | null>(null);
  const [models, setModels] = useState(0);
  const [choice, setChoice] = useState(AS_SET);
  const agents = useRead(readAgents).value;
  const [putIn, setPutIn] = useState(offered);
  const [busy, setBusy] = useState(false);
  const [problem, setProblem] = useState<string | null>(null);
  // The same again after a failure is the same beginning: it never makes a second chat.
  const beginning = useRef<Beginning | null>(null);

  // biome-ignore lint/correctness/useExhaustiveDependencies: each model that is connected is read anew
  useEffect(() => {
    const gone = new AbortController();
    readInstallation(choice.agentId, gone.signal).then(setInstallation, () => setInstallation(null));
    return () => gone.abort();
  }, [models, choice.agentId]);

  useEffect(() => setPutIn(offered), [offered]);

  async function start(text: string, attached: readonly Attached[] = [], prompt: ChosenPrompt | null = null) {
    if (busy) return;
    setBusy(true);
    setProblem(null);
    const picked = attached.flatMap(({ file, path }) => (file ? [{ file, path }] : []));
    beginning.current = sameBeginning(beginning.current, text, picked, choice, prompt);
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
      <Welcome
        installation={installation}
        busy={busy}
        onSend={(text) => void start(text)}
        onPutIn={(text) => setPutIn({ text })}
        connect={connect(() => setModels((count) => count + 1))}
      />
      <div className="chat-foot">
        {problem && (
          <div className="alert alert-danger chat-notice" role="alert">
            <Icon name="warning" size={15} /> {problem}
          </div>
        )}
        <WhoAnswers
          choice={choice}
          agents={agents ?? []}
          settings={installation?.settings ?? []}
          onChoose={setChoice}
        />
        <Composer
          draftKey={DRAFT}
          sessionId={null}
          keepsText
          placeholder="Message"
          busy={busy}
          autoFocus={autoFocus}
          offered={putIn}
          agentId={choice.agentId}
          onSend={(text, attached, prompt) => void start(text, attached, prompt)}
        />
      </div>
    </PageLayout>
  );
}
