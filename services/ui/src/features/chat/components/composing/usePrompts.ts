import { type KeyboardEvent, useCallback, useEffect, useState } from "react";
import { messageOf } from "../../../../lib/problems";
import type { McpPrompt, McpPrompts } from "../../../../lib/wire";
import { readPrompts } from "../../api/prompts";
import { askedFor, fitting, MOST_SHOWN } from "../../fold/prompts";

/** So long nothing is shown: agents without servers are answered at once. */
const PATIENCE_MS = 300;
const STEPS: Readonly<Record<string, number>> = { ArrowDown: 1, ArrowUp: -1 };

export interface PromptsMenu {
  /** Null: there is no menu. */
  offered: readonly McpPrompt[] | null;
  /** How many more fit. */
  more: number;
  waits: boolean;
  silent: McpPrompts["silent"];
  flaws: McpPrompts["flaws"];
  problem: string | null;
  /** The place of the one that Enter takes. */
  at: number;
  pointAt: (at: number) => void;
  /** Whether the key was the menu's. */
  onKeyDown: (event: KeyboardEvent) => boolean;
}

interface Read {
  found: McpPrompts | null;
  problem: string | null;
  late: boolean;
}

const NOTHING: Read = { found: null, problem: null, late: false };

/** The menu of prompts below a `/`: read anew each time it is opened, and filtered by what is typed. */
export function usePrompts(
  agentId: string,
  text: string,
  onChoose: (prompt: McpPrompt) => void,
): PromptsMenu {
  const [closed, setClosed] = useState(false);
  const [at, pointAt] = useState(0);
  const [read, setRead] = useState<Read>(NOTHING);
  const typed = askedFor(text);
  const asks = typed !== null;
  const asked = closed ? null : typed;

  useEffect(() => {
    setClosed(false);
    setRead(NOTHING);
    if (!asks) return;
    const reading = new AbortController();
    const late = setTimeout(() => setRead((now) => ({ ...now, late: true })), PATIENCE_MS);
    readPrompts(agentId, reading.signal).then(
      (found) => setRead({ found, problem: null, late: false }),
      (failure) =>
        reading.signal.aborted || setRead({ found: null, problem: messageOf(failure), late: false }),
    );
    return () => {
      clearTimeout(late);
      reading.abort();
    };
  }, [agentId, asks]);

  // biome-ignore lint/correctness/useExhaustiveDependencies: other words, other prompts
  useEffect(() => pointAt(0), [asked]);

  const { found, problem } = read;
  const all = asked === null || !found ? [] : fitting(found.items, asked);
  const offered = all.slice(0, MOST_SHOWN);
  const silent = found?.silent ?? [];
  const flaws = found?.flaws ?? [];
  const waits = !found && problem === null && read.late;
  const isOpen =
    asked !== null &&
    (offered.length > 0 || silent.length > 0 || flaws.length > 0 || problem !== null || waits);

  const onKeyDown = useCallback(
    (event: KeyboardEvent): boolean => {
      if (!isOpen) return false;
      const step = STEPS[event.key];
      const chosen = offered[at];
      if (event.key === "Escape") setClosed(true);
      else if (step !== undefined && offered.length) pointAt((at + step + offered.length) % offered.length);
      else if ((event.key === "Enter" || event.key === "Tab") && !event.shiftKey && chosen) onChoose(chosen);
      else return false;
      event.preventDefault();
      event.stopPropagation();
      return true;
    },
    [isOpen, offered, at, onChoose],
  );

  return {
    offered: isOpen ? offered : null,
    more: all.length - offered.length,
    waits,
    silent,
    flaws,
    problem,
    at,
    pointAt,
    onKeyDown,
  };
}
