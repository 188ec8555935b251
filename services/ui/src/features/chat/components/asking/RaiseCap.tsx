import { useCallback, useId, useState } from "react";
import { useAction } from "../../../../lib/hooks/useAction";
import { useRead } from "../../../../lib/hooks/useRead";
import { messageOf } from "../../../../lib/problems";
import { raiseCap, readCap } from "../../api/caps";
import { suggested } from "../../fold/caps";

interface Props {
  agentId: string;
  /** The setting that left too little. */
  setting: string;
  onRaised: () => void;
}

/** Gives a cap on spending a higher value, and goes on. */
export function RaiseCap({ agentId, setting, onRaised }: Props) {
  const read = useRead(
    useCallback((signal: AbortSignal) => readCap(agentId, setting, signal), [agentId, setting]),
  );
  const [typed, setTyped] = useState<string | null>(null);
  const action = useAction();
  const field = useId();
  const cap = read.value;
  if (!cap) return null;
  if (cap.locked) {
    return <p>{cap.variable} says this cap. It can be raised only where Foldline is started.</p>;
  }
  const text = typed ?? String(suggested(cap.value));
  const value = Number(text);
  const fits = text.trim() !== "" && Number.isFinite(value) && value > 0;
  return (
    <form
      className="raise-cap"
      onSubmit={(event) => {
        event.preventDefault();
        if (fits) action.run(() => raiseCap(agentId, cap, value), onRaised);
      }}
    >
      <label htmlFor={field}>{setting.includes("cost") ? "New cap (US dollars)" : "New cap (tokens)"}</label>
      <input
        id={field}
        className="form-control form-control-sm"
        inputMode="decimal"
        value={text}
        onChange={({ target }) => setTyped(target.value)}
      />
      <button type="submit" className="btn btn-sm btn-primary" disabled={!fits || action.working}>
        {action.working ? "Raising…" : "Raise and continue"}
      </button>
      {action.failure !== null && <p role="alert">{messageOf(action.failure)}</p>}
    </form>
  );
}
