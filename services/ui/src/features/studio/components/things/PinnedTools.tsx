import { type FormEvent, useId, useState } from "react";
import { Failure } from "../Failure";
import { PinButton } from "./PinButton";
import type { Pins } from "./usePins";

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
        <button
          type="submit"
          className="btn btn-sm btn-outline-secondary"
          disabled={pins.working || wanted === ""}
        >
          Pin
        </button>
      </form>
      <Failure failure={pins.failure} />
    </section>
  );
}
