import { ColourModeMenu } from "../components/ColourModeMenu";
import { Icon } from "../components/Icon";
import { ATTENTION, NOTIFICATIONS, studioHref } from "../lib/route";

interface Props {
  agentId: string;
  inStudio: boolean;
  /** How many things wait for the person. */
  waiting: number;
  onPalette: () => void;
}

/** The right end of every page's top bar: what waits, the studio of the agent in sight, and the colours. */
export function TopLinks({ agentId, inStudio, waiting, onPalette }: Props) {
  return (
    <>
      <button
        type="button"
        className="btn btn-link btn-icon"
        aria-label="Command palette: go anywhere, do anything"
        aria-keyshortcuts="Control+K Meta+K"
        title="Command palette (Ctrl+K)"
        onClick={onPalette}
      >
        <Icon name="search" size={18} />
      </button>
      <a
        className="btn btn-link btn-icon inbox-link"
        href={ATTENTION}
        aria-label={waiting ? `Inbox: ${waiting} waiting for you` : "Inbox: nothing waits for you"}
        title="Inbox"
      >
        <Icon name="inbox" size={18} />
        {waiting > 0 && <span className="menu-badge">{waiting > 99 ? "99+" : waiting}</span>}
      </a>
      <a
        className="btn btn-link btn-icon"
        href={studioHref(agentId)}
        aria-label="Studio: what the agent made"
        aria-current={inStudio ? "page" : undefined}
        title="Studio"
      >
        <Icon name="studio" size={18} />
      </a>
      <div className="d-none d-sm-flex">
        <MoreLinks />
      </div>
    </>
  );
}

/** What phones have at the foot of the drawer, for want of room in the top bar. */
export function MoreLinks({ onGo }: { onGo?: () => void }) {
  return (
    <>
      <a
        className="btn btn-link btn-icon"
        href={NOTIFICATIONS}
        onClick={onGo}
        aria-label="Notifications: how you are reached away from this page"
        title="Notifications"
      >
        <Icon name="bell" size={18} />
      </a>
      <ColourModeMenu />
    </>
  );
}
