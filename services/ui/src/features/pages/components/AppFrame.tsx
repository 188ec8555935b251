import { useEffect, useRef, useState } from "react";
import { appHref } from "../../../lib/apps";
import { type AppCall, type AppEvents, openAppHost } from "../api/appHost";

const LEAST_HEIGHT = 80;
const MOST_HEIGHT = 800;
/** As tall as it is before it says otherwise. */
const FIRST_HEIGHT = 240;

interface Props extends Omit<AppEvents, "onHeight"> {
  fileId: string;
  title: string;
  call: AppCall;
}

const shownTheme = () => (document.documentElement.dataset.bsTheme === "dark" ? "dark" : "light");

/** An MCP server's app in a frame of its own: it has no origin, no network and no way out but its messages. */
export function AppFrame(props: Props) {
  const frame = useRef<HTMLIFrameElement>(null);
  const latest = useRef(props);
  latest.current = props;
  const [height, setHeight] = useState(FIRST_HEIGHT);
  const { fileId, title } = props;

  useEffect(() => {
    const element = frame.current;
    let loads = 0;
    const post = (message: object) => element?.contentWindow?.postMessage(message, "*");
    const host = openAppHost(latest.current.call, shownTheme(), post, {
      onHeight: (pixels) => setHeight(Math.min(MOST_HEIGHT, Math.max(LEAST_HEIGHT, Math.ceil(pixels)))),
      onSay: (text) => latest.current.onSay(text),
      onOpen: (url) => latest.current.onOpen(url),
      onCall: latest.current.onCall,
      onRead: latest.current.onRead,
      onOutlaw: (why) => latest.current.onOutlaw(why),
    });
    const onMessage = (event: MessageEvent) => {
      if (event.source && event.source === element?.contentWindow) host.receive(event.data);
    };
    const onLoad = () => {
      loads += 1;
      if (loads > 1) latest.current.onOutlaw("It tried to leave for another address.");
    };
    const themes = new MutationObserver(() => host.theme(shownTheme()));
    themes.observe(document.documentElement, { attributeFilter: ["data-bs-theme"] });
    window.addEventListener("message", onMessage);
    element?.addEventListener("load", onLoad);
    // Only now that somebody listens.
    if (element) element.src = appHref(fileId);
    return () => {
      themes.disconnect();
      window.removeEventListener("message", onMessage);
      element?.removeEventListener("load", onLoad);
    };
  }, [fileId]);

  return (
    <iframe
      ref={frame}
      className="app-frame"
      title={title}
      style={{ height }}
      sandbox="allow-scripts"
      referrerPolicy="no-referrer"
    />
  );
}
