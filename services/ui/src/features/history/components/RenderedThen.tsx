import { RenderCard } from "../../../components/RenderCard";
import { useKeptOpen } from "../../../lib/hooks/useKeptOpen";
import type { Draw, Shown } from "../../../lib/shown";

/** A component that the agent showed: run once it is opened, for a chat may have shown very many. */
export function RenderedThen({ shown, draw }: { shown: Shown; draw: Draw }) {
  const { call } = shown;
  const [open, toggle] = useKeptOpen(`render ${call.request_address} ${call.call_id}`);
  return (
    <RenderCard call={call} onShow={toggle} then={{ open }}>
      {open && (
        <div className="render-then">
          <p className="side-note">As it was when the agent showed it. What you do in it changes nothing.</p>
          <div className="render-then-frame">{draw(shown)}</div>
        </div>
      )}
    </RenderCard>
  );
}
