import { useContext, useState } from "react";
import Dropdown from "react-bootstrap/Dropdown";
import { Icon } from "../../../../components/Icon";
import { address } from "../../../../lib/api";
import { AskToDelete } from "../../../../lib/deleting";
import { findInChat } from "../../../../lib/finding";
import type { Session } from "../../../../lib/wire";
import { type Thinking, thinkingIn, thinkingWords } from "../../fold/choosing";
import { ArchiveDialog } from "./ArchiveDialog";
import { ThinkingDialog } from "./ThinkingDialog";

interface Props {
  session: Session;
  isOpen: boolean;
  onArchive: () => void;
  onThink: (thinking: Thinking) => void;
}

/** What else can be done with a chat. */
export function ChatMenu({ session, isOpen, onArchive, onThink }: Props) {
  const askToDelete = useContext(AskToDelete);
  const sessionId = session.id;
  const [asked, setAsked] = useState(false);
  const [choosing, setChoosing] = useState(false);
  const thinking = thinkingIn(session.thinking);
  return (
    <>
      <Dropdown align="end">
        <Dropdown.Toggle
          variant="link"
          className="btn-icon no-caret"
          aria-label="More about this chat"
          title="More"
        >
          <Icon name="more" size={18} />
        </Dropdown.Toggle>
        <Dropdown.Menu>
          <Dropdown.Item as="button" type="button" onClick={findInChat}>
            <Icon name="search" /> <span className="ms-2">Find in this chat</span>
          </Dropdown.Item>
          <Dropdown.Item as="button" type="button" disabled={!isOpen} onClick={() => setChoosing(true)}>
            <Icon name="spark" /> <span className="ms-2">Thinking: {thinkingWords(thinking)}…</span>
          </Dropdown.Item>
          <Dropdown.Item href={address(`/sessions/${sessionId}/export`)} download>
            <Icon name="download" /> <span className="ms-2">Export</span>
          </Dropdown.Item>
          <Dropdown.Item
            href={address(`/sessions/${sessionId}/events`, { after: 0, limit: 200 })}
            target="_blank"
          >
            <Icon name="external" /> <span className="ms-2">Raw events</span>
          </Dropdown.Item>
          <Dropdown.Item as="button" type="button" disabled={!isOpen} onClick={() => setAsked(true)}>
            <Icon name="archive" /> <span className="ms-2">Archive…</span>
          </Dropdown.Item>
          {session.parent_id === null && (
            <Dropdown.Item as="button" type="button" onClick={() => askToDelete([session])}>
              <Icon name="trash" /> <span className="ms-2">Delete…</span>
            </Dropdown.Item>
          )}
        </Dropdown.Menu>
      </Dropdown>
      {choosing && (
        <ThinkingDialog
          thinking={thinking}
          onClose={() => setChoosing(false)}
          onChoose={(chosen) => {
            setChoosing(false);
            onThink(chosen);
          }}
        />
      )}
      {asked && (
        <ArchiveDialog
          onClose={() => setAsked(false)}
          onArchive={() => {
            setAsked(false);
            onArchive();
          }}
        />
      )}
    </>
  );
}
