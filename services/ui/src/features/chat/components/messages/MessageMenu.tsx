import Dropdown from "react-bootstrap/Dropdown";
import { Icon, type IconName } from "../../../../components/Icon";
import type { Place, Rewinding } from "../../../../lib/rewinding";
import { historyHref } from "../../../../lib/route";
import { before } from "../../fold/places";
import type { ChatMessage } from "../../fold/view";

interface Props {
  message: ChatMessage;
  /** The moment after the message and what came of it. */
  end: Place;
  /** False for what is not part of the open conversation, or where that is closed. */
  canRewind: boolean;
  rewinding: Rewinding;
}

/** What can be done with a message: go back to it, go another way from it, look behind it. */
export function MessageMenu({ message, end, canRewind, rewinding }: Props) {
  const mine = message.role === "user";
  const { sessionId, modelCallId } = message;
  return (
    <Dropdown className="message-menu" align={mine ? "end" : "start"}>
      <Dropdown.Toggle
        variant="link"
        className="btn-icon no-caret"
        aria-label={mine ? "More about your message" : "More about this answer"}
        title="More"
      >
        <Icon name="more" size={15} />
      </Dropdown.Toggle>
      <Dropdown.Menu>
        {mine ? (
          <Action
            icon="fork"
            words="Fork from before this…"
            onClick={() => rewinding.fork(before(message), message.text, message.files)}
          />
        ) : (
          <Action icon="fork" words="Fork from here…" onClick={() => rewinding.fork(end, "")} />
        )}
        {canRewind && (
          <Action
            icon="rewind"
            words={mine ? "Rewind to before this…" : "Rewind to here…"}
            onClick={() => rewinding.rewind(mine ? before(message) : end)}
          />
        )}
        {modelCallId !== null && (
          <Action
            icon="eye"
            words="What the model saw"
            onClick={() => rewinding.seen(sessionId, modelCallId)}
          />
        )}
        <Dropdown.Item href={historyHref(sessionId, message.sequence)}>
          <Icon name="clock" /> <span className="ms-2">Everything as of here</span>
        </Dropdown.Item>
      </Dropdown.Menu>
    </Dropdown>
  );
}

function Action({ icon, words, onClick }: { icon: IconName; words: string; onClick: () => void }) {
  return (
    <Dropdown.Item as="button" type="button" onClick={onClick}>
      <Icon name={icon} /> <span className="ms-2">{words}</span>
    </Dropdown.Item>
  );
}
