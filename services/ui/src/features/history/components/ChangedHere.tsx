import { useCallback, useState } from "react";
import { Diff } from "../../../components/Diff";
import { Icon } from "../../../components/Icon";
import { Reading } from "../../../components/Reading";
import { placeOf } from "../../../lib/address";
import { useRead } from "../../../lib/hooks/useRead";
import { shortThingWords, textOfThing } from "../../../lib/kinds";
import type { ChangedThing, ThingInTime } from "../../../lib/wire";
import { readThing } from "../api/requests";

/** What an event changed of the agent: each thing against what it was before, or is now. */
export function ChangedHere({ agentId, changed }: { agentId: string; changed: readonly ChangedThing[] }) {
  return (
    <div className="changed-here">
      <h2>
        <Icon name="delta" size={11} /> Changed here
      </h2>
      {changed.map((thing, index) =>
        thing.kind === "database" ? (
          <p key={thing.address} className="changed-name">
            The database was written to. Its tables are under <em>Database</em>.
          </p>
        ) : (
          <Changed key={thing.address} agentId={agentId} thing={thing} first={index === 0} />
        ),
      )}
    </div>
  );
}

function Changed({ agentId, thing, first }: { agentId: string; thing: ChangedThing; first: boolean }) {
  const [open, setOpen] = useState(first);
  const name = shortThingWords(thing.kind, thing.name);
  return (
    <details open={open} onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary className="changed-name">
        {name} {thing.deleted && <span className="row-note">deleted</span>}
      </summary>
      {open && <Differences agentId={agentId} thing={thing} name={name} />}
    </details>
  );
}

function Differences({ agentId, thing, name }: { agentId: string; thing: ChangedThing; name: string }) {
  const { kind, name: id, address } = thing;
  const [against, setAgainst] = useState<"before" | "now">("before");
  const read = useRead(
    useCallback(
      (signal) => readThing(agentId, { kind, name: id }, placeOf(address), signal),
      [agentId, kind, id, address],
    ),
  );
  return (
    <>
      <div className="btn-group btn-group-sm" role="group" aria-label={`Compare ${name} with`}>
        {(["before", "now"] as const).map((one) => (
          <button
            type="button"
            key={one}
            className={`btn ${against === one ? "btn-primary" : "btn-outline-secondary"}`}
            aria-pressed={against === one}
            onClick={() => setAgainst(one)}
          >
            {one === "before" ? "What it changed" : "What changed since"}
          </button>
        ))}
      </div>
      <Reading read={read}>
        {(found) =>
          against === "before" ? (
            <Diff
              before={text(found, "before")}
              after={text(found, "after")}
              label={`${name}: before and after`}
            />
          ) : (
            <Diff before={text(found, "after")} after={text(found, "now")} label={`${name}: then and now`} />
          )
        }
      </Reading>
    </>
  );
}

function text(thing: ThingInTime, when: "before" | "after" | "now"): string {
  const version = thing[when];
  return version === null ? "" : textOfThing(version.value);
}
