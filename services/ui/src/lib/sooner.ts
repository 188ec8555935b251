/**
 * Calls `run` after `ms`, or as soon as the browser comes online or the page is shown again: what failed may work now.
 * Returns the way to give it up.
 */
export function sooner(ms: number, run: () => void): () => void {
  const stop = () => {
    clearTimeout(timer);
    window.removeEventListener("online", now);
    document.removeEventListener("visibilitychange", shown);
  };
  const now = () => {
    stop();
    run();
  };
  const shown = () => {
    if (document.visibilityState === "visible") now();
  };
  const timer = setTimeout(now, ms);
  window.addEventListener("online", now);
  document.addEventListener("visibilitychange", shown);
  return stop;
}
