import { createContext } from "react";

/** Whether the canvas has all the room, and how to change that. */
export const CanvasControls = createContext<{ maximised: boolean; toggle: () => void }>({
  maximised: false,
  toggle: () => {},
});
