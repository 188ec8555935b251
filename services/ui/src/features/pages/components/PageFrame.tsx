import { useEffect, useRef } from "react";
import type { FrameMode, PageError, ToFrame } from "../../../lib/pageMessages";
import { openPageHost } from "../api/pageHost";
import { pastRequests } from "../api/past";
import { type Page, pageRequests } from "../api/requests";
import type { Answer, AskedOfPerson } from "../fold/asked";
import type { Sharing } from "../fold/sharing";

/** The document that the gateway serves for frames, with a policy of its own (gateway/page_frame.py). */
const DOCUMENT = "page-frame.html";
const PING_MS = 3_000;

interface Props {
  agentId: string;
  page: Page;
  /** The event as of which it is looked at; null: now. */
  past?: string | null;
  onRendered: () => void;
  onThrown: (error: PageError) => void;
  onOutlaw: (why: string) => void;
  /** For so long (ms) nothing was heard of it. */
  onSilence: (ms: number) => void;
  onSay: (text: string) => Promise<void>;
  onAsk: (asked: AskedOfPerson) => Promise<Answer>;
  onShare: (sharing: Sharing) => Promise<boolean>;
  onAct?: ((action: string, payload: Record<string, unknown>) => void) | undefined;
}

const noEffect = () => {};

function shownMode(): FrameMode {
  return document.documentElement.dataset.bsTheme === "dark" ? "dark" : "light";
}

/**
 * A page in its frame: it has no origin, no network and no way out but its messages. All of its props but the page
 * may change; another page or version needs another frame.
 */
export function PageFrame(props: Props) {
  const frame = useRef<HTMLIFrameElement>(null);
  const latest = useRef(props);
  latest.current = props;
  const { agentId, page, past = null } = props;

  useEffect(() => {
    let heard = performance.now();
    let loads = 0;
    const element = frame.current;
    const post = (message: ToFrame) => element?.contentWindow?.postMessage(message, "*");
    const requests = past === null ? pageRequests(agentId) : pastRequests(agentId, past);
    const host = openPageHost(agentId, page, shownMode(), requests, post, {
      onRendered: () => latest.current.onRendered(),
      onThrown: (error) => latest.current.onThrown(error),
      onOutlaw: (why) => latest.current.onOutlaw(why),
      onSay: (text) => (past === null ? latest.current.onSay(text) : Promise.resolve()),
      onAsk: (asked) => latest.current.onAsk(asked),
      onShare: (sharing) => (past === null ? latest.current.onShare(sharing) : Promise.resolve(true)),
      get onAct() {
        return past === null ? latest.current.onAct : noEffect;
      },
      onAlive() {
        heard = performance.now();
        latest.current.onSilence(0);
      },
    });
    const onMessage = (event: MessageEvent) => {
      if (event.source && event.source === element?.contentWindow) host.receive(event.data);
    };
    const onLoad = () => {
      loads += 1;
      if (loads > 1) latest.current.onOutlaw("It tried to leave for another address.");
    };
    const timer = setInterval(() => {
      if (document.visibilityState === "hidden") heard = performance.now();
      else latest.current.onSilence(performance.now() - heard);
      host.ping();
    }, PING_MS);
    const modes = new MutationObserver(() => host.mode(shownMode()));
    modes.observe(document.documentElement, { attributeFilter: ["data-bs-theme"] });
    window.addEventListener("message", onMessage);
    element?.addEventListener("load", onLoad);
    // Only now that somebody listens.
    if (element) element.src = DOCUMENT;
    return () => {
      clearInterval(timer);
      modes.disconnect();
      window.removeEventListener("message", onMessage);
      element?.removeEventListener("load", onLoad);
      host.close();
    };
  }, [agentId, page, past]);

  return (
    <iframe
      ref={frame}
      className="page-frame"
      title={page.name}
      sandbox="allow-scripts"
      referrerPolicy="no-referrer"
    />
  );
}
