/** The shared worker that has the one connection where tabs have no locks. It ends with the last tab. */
import { type FromHub, openHub, type ToHub } from "./hub";
import { openLive } from "./openLive";
import { openStream } from "./stream";

const ports = new Map<string, MessagePort>();
const hub = openHub(openLive(openStream), (tab, said: FromHub) => ports.get(tab)?.postMessage(said));

addEventListener("connect", (event) => {
  const [port] = (event as MessageEvent).ports;
  if (!port) return;
  port.onmessage = ({ data }: MessageEvent<ToHub>) => {
    if (data.kind === "leave") ports.delete(data.tab);
    else ports.set(data.tab, port);
    hub.heard(data);
  };
});
