(values) => {
  let emptied = 0;
  const empty = (root, depth) => {
    for (const e of root.querySelectorAll("input, textarea, *")) {
      if (e.shadowRoot && depth < 20) empty(e.shadowRoot, depth + 1);
      if (e.tagName !== "INPUT" && e.tagName !== "TEXTAREA") continue;
      if (!e.value || !(e.type === "password" || values.includes(e.value))) continue;
      e.value = "";
      e.dispatchEvent(new Event("input", { bubbles: true }));
      emptied += 1;
    }
  };
  empty(document, 0);
  return emptied;
}
