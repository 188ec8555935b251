import { ColourModeMenu } from "../components/ColourModeMenu";
import { Icon } from "../components/Icon";
import { type Route, studioHref } from "../lib/route";

/** Whose studio opens where no other agent is in sight: the one that is always there. */
const DEFAULT_AGENT = "default";

/** The right end of every page's top bar: the studio of the agent in sight, and the colours. */
export function TopLinks({ agentId, route }: { agentId: string | undefined; route: Route }) {
  const whose = route.page === "studio" ? route.agentId : (agentId ?? DEFAULT_AGENT);
  return (
    <>
      <a
        className="btn btn-link btn-icon"
        href={studioHref(whose)}
        aria-label="Studio: what the agent made"
        aria-current={route.page === "studio" ? "page" : undefined}
        title="Studio"
      >
        <Icon name="studio" size={18} />
      </a>
      <ColourModeMenu />
    </>
  );
}
