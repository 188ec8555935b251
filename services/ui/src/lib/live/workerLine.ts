/** Tabs that a shared worker serves. */
import type { FromHub } from "./hub";
import type { OpenLine } from "./line";

export const workerLine: OpenLine = ({ tab, onLeader, onSaid }) => {
  const name = new URL(".", document.baseURI).href;
  const { port } = new SharedWorker(new URL("./worker.ts", import.meta.url), { type: "module", name });
  const leave = () => port.postMessage({ kind: "leave", tab });
  port.onmessage = ({ data }: MessageEvent<FromHub>) => onSaid(data);
  window.addEventListener("pagehide", leave);
  window.addEventListener("pageshow", onLeader);
  queueMicrotask(onLeader);
  return {
    send: (said) => port.postMessage(said),
    replace: onLeader,
    close() {
      window.removeEventListener("pagehide", leave);
      window.removeEventListener("pageshow", onLeader);
      port.close();
    },
  };
};
