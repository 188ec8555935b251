/** Notifications by the page itself, while it is open and nobody looks at it. */
import { ATTENTION, chatHref, go } from "../../../lib/route";
import type { arrived } from "../fold/view";
import { notice, placeOf } from "../fold/words";

export type Permission = NotificationPermission | "unsupported";

export function permission(): Permission {
  return "Notification" in window && window.isSecureContext ? Notification.permission : "unsupported";
}

export const mayNotify = (): boolean => permission() === "granted";

/** Ask the person; what they said. */
export async function askPermission(): Promise<Permission> {
  return permission() === "unsupported" ? "unsupported" : await Notification.requestPermission();
}

/** Tell of what has come, unless the page is before somebody's eyes or the browser is told by web push. */
export function notify({ things, wakes }: ReturnType<typeof arrived>): void {
  if (!mayNotify() || (things.length === 0 && wakes.length === 0)) return;
  if (document.visibilityState === "visible" && document.hasFocus()) return;
  void pushed().then((told) => {
    if (!told) show(things, wakes);
  });
}

function show(things: Parameters<typeof notice>[0], wakes: Parameters<typeof notice>[1]): void {
  const { title, body } = notice(things, wakes);
  const [thing] = things;
  const alone = things.length + wakes.length === 1;
  const meant = wakes[0]?.session_id;
  const place = alone && thing ? placeOf(thing) : alone && meant ? chatHref(meant) : ATTENTION;
  const tag = (alone && (thing?.key ?? wakes[0]?.id)) || "foldline";
  const shown = new Notification(title, { body, tag, icon: "./icon.svg" });
  shown.onclick = () => {
    window.focus();
    go(place);
    shown.close();
  };
}

async function pushed(): Promise<boolean> {
  if (!("serviceWorker" in navigator)) return false;
  const registration = await navigator.serviceWorker.getRegistration();
  return Boolean(await registration?.pushManager?.getSubscription());
}
