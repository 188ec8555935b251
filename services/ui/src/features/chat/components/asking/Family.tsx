import Dropdown from "react-bootstrap/Dropdown";
import { Icon } from "../../../../components/Icon";
import { StatusDot } from "../../../../components/StatusDot";
import { chatHref, studioHref } from "../../../../lib/route";
import type { Session } from "../../../../lib/wire";
import { compactCount } from "../../../../lib/words";
import { DEFAULT_AGENT } from "../../fold/choosing";

/** Who answers here where that isn't the usual, and the sessions around this one. Nothing if there is none of it. */
export function Family({ session }: { session: Session }) {
  const { parent, origin, children = [], forks = [], usage_with_children: whole, begun_by } = session;
  const ofAnother = session.agent_id !== DEFAULT_AGENT;
  if (!parent && !origin && !begun_by && !session.model && !ofAnother && !children.length && !forks.length)
    return null;
  return (
    <nav className="family" aria-label="About this chat">
      {ofAnother && (
        <span>
          <Icon name="person" size={14} /> Agent <a href={studioHref(session.agent_id)}>{session.agent_id}</a>
        </span>
      )}
      {session.model && (
        <span title="This chat, and what is forked from it, asks this model whatever the settings say">
          <Icon name="chat" size={14} /> Model <code>{session.model}</code>
        </span>
      )}
      {begun_by?.what === "schedule" && (
        <span>
          <Icon name="clock" size={14} /> Begun by a{" "}
          <a href={studioHref(session.agent_id, "schedules", begun_by.name)}>scheduled task</a>
        </span>
      )}
      {begun_by?.what === "wake" && (
        <span>
          <Icon name="external" size={14} /> Begun by the service {begun_by.name}
        </span>
      )}
      {parent && (
        <span>
          <Icon name="child" size={14} /> Sub-session of{" "}
          <a href={chatHref(parent.id)}>{parent.title ?? "a chat"}</a>
        </span>
      )}
      {origin && (
        <span>
          <Icon name="fork" size={14} /> Fork of <a href={chatHref(origin.id)}>{origin.title ?? "a chat"}</a>
        </span>
      )}
      {children.length > 0 && (
        <Links
          words={children.length === 1 ? "1 sub-session" : `${children.length} sub-sessions`}
          links={children.map((one) => ({ ...one, note: `${compactCount(one.usage.tokens)} tokens` }))}
        />
      )}
      {forks.length > 0 && (
        <Links
          words={forks.length === 1 ? "1 fork" : `${forks.length} forks`}
          links={forks.map((one) => ({ ...one, note: `after event ${one.fork_sequence}` }))}
        />
      )}
      {children.length > 0 && whole && (
        <span>
          {compactCount(whole.tokens)} tokens with {children.length === 1 ? "it" : "them"}
        </span>
      )}
    </nav>
  );
}

interface Link {
  id: string;
  title: string | null;
  status: Session["status"];
  note: string;
}

function Links({ words, links }: { words: string; links: readonly Link[] }) {
  return (
    <Dropdown>
      <Dropdown.Toggle variant="link" size="sm">
        {words}
      </Dropdown.Toggle>
      <Dropdown.Menu className="family-menu">
        {links.map((link) => (
          <Dropdown.Item key={link.id} href={chatHref(link.id)}>
            <StatusDot status={link.status} />
            <span className="family-title">{link.title ?? "Untitled"}</span>
            <span className="text-body-secondary">{link.note}</span>
          </Dropdown.Item>
        ))}
      </Dropdown.Menu>
    </Dropdown>
  );
}
