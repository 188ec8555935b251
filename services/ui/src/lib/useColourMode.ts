/** Dark or light: the user's choice, or the system's. public/theme.js applies it before the first paint. */
import { useEffect, useState } from "react";
import { recall, remember } from "./browserStorage";

export type ColourMode = "system" | "light" | "dark";

const KEY = "foldline.colour-mode";
const DARK = "(prefers-color-scheme: dark)";

function chosen(): ColourMode {
  const text = recall(localStorage, KEY);
  return text === "light" || text === "dark" ? text : "system";
}

/** The mode and the way to change it. */
export function useColourMode(): [ColourMode, (mode: ColourMode) => void] {
  const [mode, setMode] = useState(chosen);

  useEffect(() => {
    const system = window.matchMedia(DARK);
    const apply = () => {
      const dark = mode === "dark" || (mode === "system" && system.matches);
      document.documentElement.dataset.bsTheme = dark ? "dark" : "light";
    };
    apply();
    remember(localStorage, KEY, mode === "system" ? null : mode);
    system.addEventListener("change", apply);
    return () => system.removeEventListener("change", apply);
  }, [mode]);

  return [mode, setMode];
}
