/** Tabs of which one leads: by a lock that one tab holds at a time, and channels that all tabs hear. */
import { type FromHub, openHub, type ToHub } from "./hub";
import type { OpenLine } from "./line";
import { openLive } from "./openLive";
import { openStream } from "./stream";

/** What all tabs hear: what one says to the leader, and that somebody leads. */
type Common = { kind: "leads" } | ToHub;

/** Below the path that Foldline has behind a proxy: another Foldline on the same host is none of ours. */
const name = () => `foldline.live ${new URL(".", document.baseURI).pathname}`;
const ofTab = (tab: string) => `${name()} ${tab}`;

/** Lead from now on; returns how to stop. */
function lead(): () => void {
  const channels = new Map<string, BroadcastChannel>();
  const common = new BroadcastChannel(name());
  const hub = openHub(openLive(openStream), (tab, said) => channels.get(tab)?.postMessage(said));

  function leave(tab: string): void {
    hub.heard({ kind: "leave", tab });
    channels.get(tab)?.close();
    channels.delete(tab);
  }

  common.onmessage = ({ data }: MessageEvent<Common>) => {
    if (data.kind === "leads") return;
    if (data.kind === "leave") {
      leave(data.tab);
      return;
    }
    if (!channels.has(data.tab)) {
      channels.set(data.tab, new BroadcastChannel(ofTab(data.tab)));
      // A tab holds the lock of its name as long as it is there: whoever gets it knows that the tab is gone.
      void navigator.locks.request(ofTab(data.tab), () => leave(data.tab));
    }
    hub.heard(data);
  };
  return () => {
    common.close();
    for (const channel of channels.values()) channel.close();
    hub.close();
  };
}

/** Waits for its turn to lead, once for the whole page: a tab that lets its connection go may still serve others. */
let queued: AbortController | null = null;

async function queue(): Promise<void> {
  const mine = new AbortController();
  queued = mine;
  await leadWith({ signal: mine.signal });
  if (queued === mine) void queue();
}

/** Leads in place of a tab that doesn't answer. */
async function steal(): Promise<void> {
  queued?.abort();
  queued = null;
  await leadWith({ steal: true });
  if (!queued) void queue();
}

/** Leads once the lock is this tab's, until another tab takes it. */
async function leadWith(options: LockOptions): Promise<void> {
  let stop = () => {};
  try {
    await navigator.locks.request(name(), options, () => {
      stop = lead();
      const common = new BroadcastChannel(name());
      common.postMessage({ kind: "leads" } satisfies Common);
      common.close();
      return new Promise(() => {});
    });
  } catch (error) {
    // So a lock ends that another tab took, and so does waiting for one.
    if (!(error instanceof DOMException && error.name === "AbortError")) throw error;
  } finally {
    stop();
  }
}

export const lockLine: OpenLine = ({ tab, onLeader, onSaid }) => {
  const common = new BroadcastChannel(name());
  const own = new BroadcastChannel(ofTab(tab));
  let release: (() => void) | null = null;
  let closed = false;
  common.onmessage = ({ data }: MessageEvent<Common>) => data.kind === "leads" && release && onLeader();
  own.onmessage = ({ data }: MessageEvent<FromHub>) => onSaid(data);
  void navigator.locks.request(ofTab(tab), () => {
    if (closed) return;
    if (!queued) void queue();
    return new Promise<void>((resolve) => {
      release = resolve;
      onLeader();
    });
  });
  return {
    send(said) {
      // Before it holds its lock, the tab would count as gone; then it says what it wants.
      if (release) common.postMessage(said satisfies Common);
    },
    replace: () => void steal(),
    close() {
      closed = true;
      common.close();
      own.close();
      release?.();
    },
  };
};
