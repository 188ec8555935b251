/** Dark or light: the user's choice, or the system's. public/theme.js applies it before the first paint. */
import { useEffect, useSyncExternalStore } from "react";
import { recall, remember } from "../browserStorage";
import { createStore } from "../store";

export type ColourMode = "system" | "light" | "dark";

const KEY = "foldline.colour-mode";
const DARK = "(prefers-color-scheme: dark)";

function chosen(): ColourMode {
  const text = recall(localStorage, KEY);
  return text === "light" || text === "dark" ? text : "system";
}

/** One for the whole page: whoever shows it sees what another has chosen. */
const mode = createStore<ColourMode>(chosen());

function choose(next: ColourMode): void {
  remember(localStorage, KEY, next === "system" ? null : next);
  mode.set(() => next);
}

/** The mode and the way to change it. */
export function useColourMode(): [ColourMode, (mode: ColourMode) => void] {
  const current = useSyncExternalStore(mode.subscribe, mode.get);

  useEffect(() => {
    const system = window.matchMedia(DARK);
    const apply = () => {
      const dark = current === "dark" || (current === "system" && system.matches);
      document.documentElement.dataset.bsTheme = dark ? "dark" : "light";
    };
    apply();
    system.addEventListener("change", apply);
    return () => system.removeEventListener("change", apply);
  }, [current]);

  return [current, choose];
}
