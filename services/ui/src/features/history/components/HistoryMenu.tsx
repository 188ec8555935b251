import { useRef, useState } from "react";
import Dropdown from "react-bootstrap/Dropdown";
import { Icon } from "../../../components/Icon";
import { address } from "../../../lib/api";
import { messageOf } from "../../../lib/problems";
import { chatHref, go, traceHref } from "../../../lib/route";
import type { Message } from "../../../lib/wire";
import { importSession, readMessages } from "../api/requests";
import { transcript } from "../fold/markdown";
import { ReplayDialog } from "./ReplayDialog";

/** Pages of 200 messages that a transcript has at most. */
const MOST_PAGES = 50;

interface Props {
  sessionId: string;
  title: string;
  at: number | null;
}

/** What can be done with the whole of a history. */
export function HistoryMenu({ sessionId, title, at }: Props) {
  const [replaying, setReplaying] = useState(false);
  const [failure, setFailure] = useState<unknown>(null);
  const [busy, setBusy] = useState<string | null>(null);
  const chooser = useRef<HTMLInputElement>(null);

  async function working(words: string, work: () => Promise<void>) {
    setBusy(words);
    setFailure(null);
    try {
      await work();
    } catch (error) {
      setFailure(error);
    } finally {
      setBusy(null);
    }
  }

  return (
    <>
      {busy && <span role="status">{busy}</span>}
      {failure !== null && (
        <span className="history-failure" role="alert">
          {messageOf(failure)}
        </span>
      )}
      <button
        type="button"
        className="btn btn-sm btn-outline-secondary history-wide"
        onClick={() => setReplaying(true)}
      >
        <Icon name="retry" size={14} /> Replay strictly
      </button>
      <Dropdown align="end">
        <Dropdown.Toggle
          variant="link"
          className="btn-icon no-caret"
          aria-label="More about this history"
          title="More"
        >
          <Icon name="more" size={18} />
        </Dropdown.Toggle>
        <Dropdown.Menu>
          <Dropdown.Item href={traceHref(sessionId, at ?? undefined)}>
            <Icon name="child" /> <span className="ms-2">Trace</span>
          </Dropdown.Item>
          <Dropdown.Item as="button" type="button" onClick={() => setReplaying(true)}>
            <Icon name="retry" /> <span className="ms-2">Replay strictly</span>
          </Dropdown.Item>
          <Dropdown.Divider />
          <Dropdown.Item href={address(`/sessions/${sessionId}/export`)} download>
            <Icon name="download" /> <span className="ms-2">Export everything (JSONL)</span>
          </Dropdown.Item>
          <Dropdown.Item
            as="button"
            type="button"
            onClick={() => void working("Reading the chat…", () => saveTranscript(sessionId, title))}
          >
            <Icon name="file" /> <span className="ms-2">Save the chat (Markdown)</span>
          </Dropdown.Item>
          <Dropdown.Item as="button" type="button" onClick={() => chooser.current?.click()}>
            <Icon name="upload" /> <span className="ms-2">Import a session…</span>
          </Dropdown.Item>
        </Dropdown.Menu>
      </Dropdown>
      <input
        ref={chooser}
        type="file"
        accept=".jsonl,application/x-ndjson"
        hidden
        aria-label="An exported session"
        onChange={(event) => {
          const file = event.currentTarget.files?.[0];
          event.currentTarget.value = "";
          if (file) void working("Importing…", async () => go(chatHref(await importSession(file))));
        }}
      />
      {replaying && <ReplayDialog sessionId={sessionId} onClose={() => setReplaying(false)} />}
    </>
  );
}

async function saveTranscript(sessionId: string, title: string): Promise<void> {
  const messages: Message[] = [];
  let before: string | null = null;
  for (let page = 0; page < MOST_PAGES; page += 1) {
    const found = await readMessages(sessionId, before);
    messages.unshift(...found.items);
    before = found.next_cursor;
    if (before === null) break;
  }
  const link = document.createElement("a");
  const url = URL.createObjectURL(new Blob([transcript(title, messages)], { type: "text/markdown" }));
  link.href = url;
  link.download = `${sessionId}.md`;
  link.click();
  URL.revokeObjectURL(url);
}
