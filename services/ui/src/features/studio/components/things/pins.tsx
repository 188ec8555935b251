/** Which tools are sent to the model with each request, and how a person changes that. */
import { type FormEvent, useCallback, useId, useState } from "react";
import { Icon } from "../../../../components/Icon";
import { useAction } from "../../../../lib/hooks/useAction";
import { useRead } from "../../../../lib/hooks/useRead";
import { pinTools, readPinned } from "../../api/settings";
import { Failure, Press } from "../controls";

export interface Pins {
  names: readonly string[];
  working: boolean;
  failure: unknown;
  set(names: readonly string[], then?: () => void): void;
}

/** What is pinned of an agent's tools; null until it is read, and where there is no agent. */
export function usePins(agentId: string | null, revision: string): Pins | null {
  const { value, again } = useRead(
    useCallback(
      async (signal: AbortSignal) => (agentId === null ? null : readPinned(agentId, signal)),
      [agentId],
    ),
    revision,
  );
  const action = useAction();
  if (agentId === null || value === null) return null;
  const { names, version } = value;
  return {
    ...{ names, working: action.working, failure: action.failure },
    set(wanted, then) {
      const done = () => {
        again();
        then?.();
      };
      action.run(() => pinTools(agentId, wanted, version), done, again);
    },
  };
}

/** Pins one tool, or unpins it. */
export function PinButton({ name, pins }: { name: string; pins: Pins }) {
  const pinned = pins.names.includes(name);
  return (
    <button
      type="button"
      className="btn btn-sm studio-pin"
      aria-pressed={pinned}
      aria-label={`Pin ${name}`}
      title={
        pinned ? "Sent to the model with each request. Unpin it" : "Send it to the model with each request"
      }
      disabled={pins.working}
      onClick={() => pins.set(pinned ? pins.names.filter((one) => one !== name) : [...pins.names, name])}
    >
      <Icon name="pin" size={14} />
    </button>
  );
}

interface Props {
  pins: Pins;
  /** The names of the agent's own tools: they have their pin in the list. */
  own: readonly string[];
}

/** The pinned tools that the agent didn't make, and a field to pin one. */
export function PinnedTools({ pins, own }: Props) {
  const [name, setName] = useState("");
  const field = useId();
  const others = pins.names.filter((one) => !own.includes(one));
  const wanted = name.trim();
  const pin = (event: FormEvent) => {
    event.preventDefault();
    if (wanted !== "") pins.set([...new Set([...pins.names, wanted])], () => setName(""));
  };
  return (
    <section className="studio-pins" aria-label="Pinned tools">
      <p>
        Pinned tools are sent with every request and cost tokens each time (20 at most), as are the agent's
        own tools while it has 20 or fewer. Others are looked up when needed.
      </p>
      {others.length > 0 && (
        <ul>
          {others.map((one) => (
            <li key={one}>
              <code>{one}</code>
              <PinButton name={one} pins={pins} />
            </li>
          ))}
        </ul>
      )}
      <form onSubmit={pin}>
        <label htmlFor={field} className="visually-hidden">
          Built-in tool to pin
        </label>
        <input
          id={field}
          className="form-control form-control-sm"
          placeholder="Built-in tool, such as db_schema"
          autoComplete="off"
          spellCheck={false}
          value={name}
          onChange={(event) => setName(event.target.value)}
        />
        <Press type="submit" disabled={pins.working || wanted === ""}>
          Pin
        </Press>
      </form>
      <Failure failure={pins.failure} />
    </section>
  );
}
