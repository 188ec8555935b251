// Sets the colour mode before the first paint; src/lib/colourMode.ts keeps it up to date afterwards.
(() => {
  let choice = "system";
  try {
    choice = localStorage.getItem("foldline.colour-mode") || "system";
  } catch {
    // Storage may be forbidden; the system's mode it is.
  }
  const dark =
    choice === "dark" || (choice !== "light" && matchMedia("(prefers-color-scheme: dark)").matches);
  document.documentElement.dataset.bsTheme = dark ? "dark" : "light";
})();
