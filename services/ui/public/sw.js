/* Shows what Foldline's notifier pushes to this browser, and opens the chat that it is about. */

self.addEventListener("install", () => self.skipWaiting());
self.addEventListener("activate", (event) => event.waitUntil(self.clients.claim()));

/** What was pushed; anything else says that something happened, since a push must show something. */
function told(data) {
  try {
    const { id, title, text, path } = data.json();
    if (typeof title === "string" && typeof path === "string") return { id, title, text, path };
  } catch {
    // Not of our notifier: its words are not shown.
  }
  return { id: "unknown", title: "Foldline: something waits for you", text: "", path: "#/" };
}

self.addEventListener("push", (event) => {
  const { id, title, text, path } = told(event.data);
  // The same tag replaces what is shown: a message that a push service delivers twice is seen once.
  event.waitUntil(
    self.registration.showNotification(title, { body: text, tag: id, icon: "./icon.svg", data: { path } }),
  );
});

self.addEventListener("notificationclick", (event) => {
  event.notification.close();
  const path = String(event.notification.data?.path ?? "#/");
  const url = new URL(path.startsWith("#/") ? path : "#/", self.registration.scope).href;
  event.waitUntil(
    (async () => {
      const pages = await self.clients.matchAll({ type: "window" });
      const page = pages.find((one) => one.url.startsWith(self.registration.scope));
      if (!page) return self.clients.openWindow(url);
      await page.focus();
      return page.navigate(url);
    })(),
  );
});
