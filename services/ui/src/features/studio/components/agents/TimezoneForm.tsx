import { useId, useState } from "react";
import { useAction } from "../../../../lib/hooks/useAction";
import { chooseTimezone, type Timezone } from "../../api/schedules";
import { viewersZone } from "../../fold/times";
import { Failure } from "../Failure";

interface Props {
  agentId: string;
  timezone: Timezone;
  onChanged: () => void;
}

const ZONES: readonly string[] = Intl.supportedValuesOf?.("timeZone") ?? [];

/** The zone that the agent's times are in. */
export function TimezoneForm({ agentId, timezone: { timezone, version }, onChanged }: Props) {
  const id = useId();
  const [zone, setZone] = useState(timezone);
  const action = useAction();
  const own = viewersZone();
  return (
    <section aria-label="Timezone">
      <div className="timed-head">
        <h2>Timezone</h2>
      </div>
      <form
        className="timed-zone"
        onSubmit={(event) => {
          event.preventDefault();
          action.run(() => chooseTimezone(agentId, zone.trim() || null, version), onChanged);
        }}
      >
        <label className="visually-hidden" htmlFor={`${id}-zone`}>
          The agent's timezone
        </label>
        <input
          id={`${id}-zone`}
          className="form-control form-control-sm"
          list={`${id}-zones`}
          value={zone}
          autoComplete="off"
          spellCheck={false}
          aria-describedby={`${id}-help`}
          onChange={(event) => setZone(event.target.value)}
        />
        <datalist id={`${id}-zones`}>
          {ZONES.map((one) => (
            <option key={one} value={one} />
          ))}
        </datalist>
        <button
          type="submit"
          className="btn btn-sm btn-outline-primary"
          disabled={action.working || zone.trim() === timezone}
        >
          Save
        </button>
      </form>
      <p className="form-text" id={`${id}-help`}>
        {version === 0 && "This is the default for all agents. "}Times without an offset are in this zone.
        Existing tasks keep their own zone.{own !== timezone && ` Your browser is in ${own}.`}
      </p>
      <Failure failure={action.failure} />
    </section>
  );
}
