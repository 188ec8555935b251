/** This browser's push subscription. */
import { deleteChannel, pushKey, subscribe } from "./requests";

/** Where this browser remembers the name of its channel. */
const CHANNEL = "foldline.push.channel";

/** `unsupported`: it has no web push, or the page came over plain HTTP from elsewhere. `denied`: the person said no. */
export type PushState = "unsupported" | "denied" | "off" | "on";

export async function pushState(): Promise<PushState> {
  if (!window.isSecureContext || !("serviceWorker" in navigator) || !("PushManager" in window)) {
    return "unsupported";
  }
  if (Notification.permission === "denied") return "denied";
  const registration = await navigator.serviceWorker.getRegistration();
  return (await registration?.pushManager.getSubscription()) ? "on" : "off";
}

/** Ask the person, subscribe, and tell the gateway. Rejects in words for a person. */
export async function turnOn(): Promise<void> {
  if ((await Notification.requestPermission()) !== "granted") {
    throw new Error("This browser doesn't allow it. Allow notifications in its settings for this page.");
  }
  const key = await pushKey();
  await navigator.serviceWorker.register("./sw.js");
  const { pushManager } = await navigator.serviceWorker.ready;
  await (await pushManager.getSubscription())?.unsubscribe(); // it may be of another key
  const made = await pushManager
    .subscribe({ userVisibleOnly: true, applicationServerKey: key })
    .catch((cause: unknown) => {
      throw new Error("The browser's push service can't be reached, or refuses. Try again later.", { cause });
    });
  const { endpoint, keys } = made.toJSON();
  if (!endpoint || !keys?.p256dh || !keys.auth)
    throw new Error("The browser's subscription is not complete.");
  const written = await subscribe({
    endpoint,
    p256dh: keys.p256dh,
    auth: keys.auth,
    browser: browserName(navigator.userAgent),
  });
  localStorage.setItem(CHANNEL, written.name);
}

/** No messages to this browser any more. */
export async function turnOff(): Promise<void> {
  const registration = await navigator.serviceWorker.getRegistration();
  await (await registration?.pushManager.getSubscription())?.unsubscribe();
  const name = localStorage.getItem(CHANNEL);
  if (name) await deleteChannel(name);
  localStorage.removeItem(CHANNEL);
}

/** What a person calls the browser, as far as it tells. */
export function browserName(agent: string): string {
  const find = (names: readonly (readonly [string, string])[]) =>
    names.find(([mark]) => agent.includes(mark))?.[1];
  const browser = find([
    ["Firefox/", "Firefox"],
    ["Edg/", "Edge"],
    ["OPR/", "Opera"],
    ["Chrome/", "Chrome"],
    ["Safari/", "Safari"],
  ]);
  const system = find([
    ["Android", "Android"],
    ["iPhone", "iPhone"],
    ["iPad", "iPad"],
    ["Windows", "Windows"],
    ["Mac OS", "macOS"],
    ["Linux", "Linux"],
  ]);
  return [browser ?? "A browser", system].filter(Boolean).join(" on ");
}
