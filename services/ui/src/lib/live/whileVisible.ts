import type { Connect, Stream } from "./stream";

/** Connections that are let go when the page has been hidden for as long as their owner allows, until it is seen. */
export function whileVisible(connect: Connect): Connect {
  return (owner) => {
    let stream: Stream | null = null;
    let timer: ReturnType<typeof setTimeout> | undefined;

    function pause(): void {
      stream?.close();
      stream = null;
      owner.onConnection("paused");
    }

    function onVisibility(): void {
      clearTimeout(timer);
      if (document.visibilityState === "hidden") timer = setTimeout(pause, owner.patience());
      else stream ??= connect(owner);
    }

    document.addEventListener("visibilitychange", onVisibility);
    stream = connect(owner);
    return {
      restart() {
        stream?.restart();
        stream ??= connect(owner);
      },
      close() {
        clearTimeout(timer);
        document.removeEventListener("visibilitychange", onVisibility);
        stream?.close();
        stream = null;
      },
    };
  };
}
