() => {
  let e = document.activeElement;
  while (e && e.shadowRoot && e.shadowRoot.activeElement) e = e.shadowRoot.activeElement;
  if (!e) return null;
  if (e.tagName === "IFRAME" || e.tagName === "FRAME") return { frame: true };
  const types = ["text", "password", "email", "search", "tel", "url", "number", "date", "time", "month", "week",
    "datetime-local"];
  const editable = e.isContentEditable || e.tagName === "TEXTAREA" ||
    (e.tagName === "INPUT" && types.includes(e.type));
  const hidden = ["current-password", "new-password", "one-time-code", "cc-number", "cc-csc"];
  const asks = (e.getAttribute("autocomplete") || "").toLowerCase().split(/\s+/);
  const secret = editable && (e.type === "password" || asks.some((word) => hidden.includes(word)));
  return { editable, secret, value: secret ? String(e.value ?? "").slice(0, 1000) : "" };
}
