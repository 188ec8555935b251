/**
 * One connection for all tabs of the browser: browsers allow six to one server, and each tab needs some for itself.
 *
 * The tab that holds a lock leads: it has the connection and serves the others. When it goes, the next one that
 * waits for the lock leads, and each tab says anew after which event it wants to hear: nothing is missed and nothing
 * is heard twice. Locks exist only on HTTPS and on this machine's own addresses; elsewhere a shared worker leads.
 */
import { newKey } from "../newKey";
import { problemFrom } from "../problems";
import type { OpenLine } from "./line";
import { lockLine } from "./lockLine";
import { type Connect, openStream } from "./stream";
import { workerLine } from "./workerLine";

/** A tab that is seen asks so often (ms) whether its leader is there; after two questions without an answer it isn't. */
const PING_MS = 15_000;
const UNANSWERED = 2;

/** How tabs can share a connection here; null: not at all. */
function lineHere(): OpenLine | null {
  if ("BroadcastChannel" in globalThis && navigator.locks) return lockLine;
  return "SharedWorker" in globalThis ? workerLine : null;
}

/** A connection that is shared with the other tabs, where the browser can. */
export const openShared: Connect = (owner) => {
  const openLine = lineHere();
  return openLine ? shareBy(openLine)(owner) : openStream(owner);
};

/** Connections shared by a line. */
export function shareBy(openLine: OpenLine): Connect {
  return (owner) => {
    const tab = newKey();
    let turn = 0;
    let unanswered = 0;

    const want = () => line.send({ kind: "want", tab, turn, ...owner.wanted() });
    const line = openLine({
      tab,
      onLeader: want,
      onSaid(said) {
        unanswered = 0;
        // What is wanted may have changed meanwhile: then the rest of this counts no more.
        if (said.kind === "alive" || said.turn !== turn) return;
        if (said.kind === "frame") owner.onFrame(said.frame);
        else if (said.problem) owner.onConnection(said.connection, problemFrom(said.problem));
        else owner.onConnection(said.connection);
      },
    });
    const timer = setInterval(() => {
      if (document.visibilityState === "hidden") return;
      if (unanswered >= UNANSWERED) {
        unanswered = 0;
        line.replace();
        return;
      }
      unanswered += 1;
      line.send({ kind: "ping", tab });
    }, PING_MS);
    owner.onConnection("connecting");
    return {
      restart() {
        turn += 1;
        want();
      },
      close() {
        clearInterval(timer);
        line.send({ kind: "leave", tab });
        line.close();
      },
    };
  };
}
