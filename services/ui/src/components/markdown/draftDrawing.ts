import { createContext } from "react";
import type { DrawDraft } from "../../lib/shown";

/** How a component that somebody writes is run; without a shell that knows, not at all. */
export const DraftDrawing = createContext<DrawDraft>(() => null);
