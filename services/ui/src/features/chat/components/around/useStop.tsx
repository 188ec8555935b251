import { type ReactNode, useCallback, useState } from "react";
import { StopDialog } from "./StopDialog";

/** What Stop does: a sub-session ends by it, so there it asks first. The dialog is to be drawn. */
export function useStop(isChild: boolean, stop: () => void): { onStop: () => void; asking: ReactNode } {
  const [asking, setAsking] = useState(false);
  const close = useCallback(() => setAsking(false), []);
  const onStop = useCallback(() => (isChild ? setAsking(true) : stop()), [isChild, stop]);
  const confirmed = () => {
    close();
    stop();
  };
  return { onStop, asking: asking && <StopDialog onStop={confirmed} onClose={close} /> };
}
