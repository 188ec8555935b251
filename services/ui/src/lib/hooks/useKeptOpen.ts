/** What was unfolded stays so while it is scrolled out of the document. */
import { createContext, useContext, useState } from "react";

export type Openness = Map<string, boolean>;

/** Where it is kept; without it, it lasts as long as the component. */
export const KeptOpen = createContext<Openness | null>(null);

/** Whether something is open, by its name among those of the list; `first`: before anybody chose. */
export function useKeptOpen(name: string, first = false): [boolean, () => void] {
  const kept = useContext(KeptOpen);
  const [open, setOpen] = useState(kept?.get(name) ?? first);
  const toggle = () => {
    kept?.set(name, !open);
    setOpen(!open);
  };
  return [open, toggle];
}
