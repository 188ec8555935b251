/** Who draws what is more than text in Markdown. The shell has them; pages of agents, in their frame, show the source. */
import { type ComponentType, createContext } from "react";

export interface Drawings {
  Formula: ComponentType<{ tex: string; display: boolean }>;
  Diagram: ComponentType<{ source: string }>;
}

export const DrawnBy = createContext<Drawings | null>(null);
