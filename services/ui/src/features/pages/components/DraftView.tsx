import { useEffect, useMemo, useState } from "react";
import type { Draft } from "../../../lib/shown";
import type { Page } from "../api/requests";
import { RunningPage } from "./RunningPage";

/** Code that was still for so long (ms) is run. */
const STILL_MS = 700;

/** What a page says from here begins a chat; its notice leads there. */
const nothingNew = () => {};

/** A component as somebody writes it, run anew whenever they pause. */
export function DraftView({ agentId, name, code, props }: Draft) {
  const told = JSON.stringify({ code, props });
  const [still, setStill] = useState(told);
  const [start, setStart] = useState(0);
  useEffect(() => {
    if (told === still) return;
    const timer = setTimeout(() => setStill(told), STILL_MS);
    return () => clearTimeout(timer);
  }, [told, still]);
  // One page for each frame: a frame that is given another one loads again, and what the first load says is lost.
  const page = useMemo(() => pageOf(name, still), [name, still]);
  return (
    <RunningPage
      key={`${name} ${still} ${start}`}
      {...{ agentId, page }}
      sessionId={null}
      onNew={nothingNew}
      onRestart={() => setStart(start + 1)}
    />
  );
}

function pageOf(name: string, told: string): Page {
  const { code, props } = JSON.parse(told) as Pick<Draft, "code" | "props">;
  const unknown = { version: 0, sequence: 0, by: null, at: null, broughtBy: null };
  return { name, description: "", code, props, ...unknown };
}
