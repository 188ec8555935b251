/** The end of the shared connection that serves all tabs: whichever tab leads has it, for itself and the others. */
import { placeOf } from "../address";
import { type PlainProblem, plainProblem } from "../problems";
import type { Frame } from "./frames";
import type { Live, Subscription } from "./openLive";
import type { Connection } from "./stream";

/** What a tab says to the one that leads. `turn` counts the tab's wishes: an answer names the one that it is for. */
export type ToHub =
  | { kind: "want"; tab: string; turn: number; after: string | null; watch: string[] }
  | { kind: "leave"; tab: string }
  | { kind: "ping"; tab: string };

/** What a tab hears from the one that leads. */
export type FromHub =
  | { kind: "frame"; turn: number; frame: Frame }
  | { kind: "connection"; turn: number; connection: Connection; problem?: PlainProblem }
  | { kind: "alive" };

export interface Hub {
  heard(said: ToHub): void;
  close(): void;
}

interface Tab {
  turn: number;
  subscription: Subscription;
}

/** The hub never lets the connection go for being hidden: each tab leaves when it has been hidden for long. */
const FOREVER_MS = 2 ** 31 - 1;

/** Serves tabs by `live`; `post` says something to one of them. */
export function openHub(live: Live, post: (tab: string, said: FromHub) => void): Hub {
  const tabs = new Map<string, Tab>();

  function want({ tab, turn, after, watch }: Extract<ToHub, { kind: "want" }>): void {
    const before = tabs.get(tab);
    if (before?.turn === turn) return;
    const frame = (one: Frame) => post(tab, { kind: "frame", turn, frame: one });
    const subscription = live.subscribe(
      { watch, whenHidden: FOREVER_MS },
      {
        onEvent: (event) => frame({ kind: "event", sequence: event.sequence, event }),
        onSkipped: (event) => frame({ kind: "event", sequence: event.sequence, event }),
        onDelta: (delta) => frame({ kind: "delta", delta }),
        onAnswer: (answer) => frame({ kind: "answer", answer }),
        onConnection: (connection, problem) =>
          post(tab, {
            kind: "connection",
            turn,
            connection,
            ...(problem ? { problem: plainProblem(problem) } : {}),
          }),
      },
    );
    tabs.set(tab, { turn, subscription });
    // The new one is there before the old one goes: the last to leave would take the connection along.
    before?.subscription.close();
    if (after === null) subscription.followOn();
    else subscription.followAfter(placeOf(after));
  }

  function leave(tab: string): void {
    tabs.get(tab)?.subscription.close();
    tabs.delete(tab);
  }

  return {
    heard(said) {
      if (said.kind === "want") want(said);
      else if (said.kind === "leave") leave(said.tab);
      else post(said.tab, { kind: "alive" });
    },
    close() {
      for (const tab of [...tabs.keys()]) leave(tab);
    },
  };
}
