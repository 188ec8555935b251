import { useContext } from "react";
import Dropdown from "react-bootstrap/Dropdown";
import { Icon, type IconName } from "../../../components/Icon";
import { AskToDelete } from "../../../lib/deleting";
import type { Session } from "../../../lib/wire";
import type { RowAction } from "../api/openSessionList";

interface Props {
  session: Session;
  onAct: (action: RowAction) => void;
  onRename: () => void;
  onSelect: () => void;
}

/** What can be done with a chat from the list. */
export function RowMenu({ session, onAct, onRename, onSelect }: Props) {
  const askToDelete = useContext(AskToDelete);
  const title = session.title ?? "New chat";
  const closed = session.status === "completed";
  const item = (icon: IconName, words: string, onClick: () => void) => (
    <Dropdown.Item as="button" type="button" onClick={onClick}>
      <Icon name={icon} /> <span className="ms-2">{words}</span>
    </Dropdown.Item>
  );
  return (
    <Dropdown align="end" className="row-menu">
      <Dropdown.Toggle variant="link" className="btn-icon no-caret" aria-label={`More about ${title}`}>
        <Icon name="more" size={16} />
      </Dropdown.Toggle>
      {/* Within the list it would be cut off at its edge. */}
      <Dropdown.Menu popperConfig={{ strategy: "fixed" }} renderOnMount={false}>
        {session.pinned ? item("pin", "Unpin", () => onAct("unpin")) : item("pin", "Pin", () => onAct("pin"))}
        {item("pencil", "Rename", onRename)}
        {session.parent_id === null &&
          session.status !== "error" &&
          (closed
            ? item("retry", "Reopen", () => onAct("reopen"))
            : item("archive", "Archive", () => onAct("archive")))}
        {item("check", "Select several", onSelect)}
        {session.parent_id === null && item("trash", "Delete…", () => askToDelete([session]))}
      </Dropdown.Menu>
    </Dropdown>
  );
}
