import { ColourModeMenu } from "../components/ColourModeMenu";
import { Icon } from "../components/Icon";
import { NOTIFICATIONS, studioHref } from "../lib/route";

/** The right end of every page's top bar: the studio of the agent in sight, and the colours. */
export function TopLinks({ agentId, inStudio }: { agentId: string; inStudio: boolean }) {
  return (
    <>
      <a
        className="btn btn-link btn-icon"
        href={studioHref(agentId)}
        aria-label="Studio: what the agent made"
        aria-current={inStudio ? "page" : undefined}
        title="Studio"
      >
        <Icon name="studio" size={18} />
      </a>
      <a
        className="btn btn-link btn-icon"
        href={NOTIFICATIONS}
        aria-label="Notifications: how you are reached away from this page"
        title="Notifications"
      >
        <Icon name="bell" size={18} />
      </a>
      <ColourModeMenu />
    </>
  );
}
