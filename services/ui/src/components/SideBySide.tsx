import { type ReactNode, useState } from "react";
import { Group, Panel, Separator } from "react-resizable-panels";
import { recall, remember } from "../lib/browserStorage";
import { CanvasControls } from "./canvasControls";
import "./sideBySide.css";

const SHARES = "foldline.canvas.shares";
const MAXIMISED = "foldline.canvas.maximised";
const MAIN = "main-panel";
const SIDE = "side-panel";

interface Props {
  children: ReactNode;
  /** What stands beside them; null: they have all the room. */
  side: ReactNode | null;
}

/**
 * Two things side by side with a divider between them, which keys move as well; where the person put it is
 * remembered. Where it is narrow the second is a sheet over the first.
 */
export function SideBySide({ children, side }: Props) {
  const [shares] = useState(remembered);
  const [maximised, setMaximised] = useState(() => recall(localStorage, MAXIMISED) === "yes");
  const controls = {
    maximised,
    toggle() {
      remember(localStorage, MAXIMISED, maximised ? null : "yes");
      setMaximised(!maximised);
    },
  };
  return (
    <Group
      className={`side-by-side ${side && maximised ? "is-maximised" : ""}`}
      {...(side && shares ? { defaultLayout: shares } : {})}
      onLayoutChanged={(layout, { isUserInteraction }) => {
        if (isUserInteraction) remember(localStorage, SHARES, JSON.stringify(layout));
      }}
    >
      <Panel id={MAIN} minSize="20rem" className="side-by-side-main">
        {children}
      </Panel>
      {side && (
        <>
          <Separator className="side-by-side-divider" aria-label="Move the divider of chat and canvas" />
          <Panel
            id={SIDE}
            minSize="18rem"
            defaultSize={`${shares?.[SIDE] ?? 50}%`}
            className="side-by-side-side"
          >
            <CanvasControls value={controls}>{side}</CanvasControls>
          </Panel>
        </>
      )}
    </Group>
  );
}

/** Percent of the width, by panel; null if nothing sensible was remembered. */
function remembered(): Record<string, number> | null {
  try {
    const { [MAIN]: main, [SIDE]: side } = JSON.parse(recall(localStorage, SHARES) || "{}");
    const sensible = [main, side].every((share) => typeof share === "number" && share > 5 && share < 95);
    return sensible ? { [MAIN]: main, [SIDE]: side } : null;
  } catch {
    return null;
  }
}
