import { useCallback, useState } from "react";
import { Diff } from "../../../components/Diff";
import { Reading } from "../../../components/Reading";
import { useRead } from "../../../lib/hooks/useRead";
import { kindNamed, kindWords, textOfThing, thingWords } from "../../../lib/kinds";
import type { AgentPlace } from "../../../lib/rewinding";
import type { AgentRewindPreview, RewindableThing } from "../../../lib/wire";
import { count } from "../../../lib/words";
import { readThing } from "../api/requests";
import {
  fateOf,
  goingOf,
  type Kept,
  othersWords,
  thingKey,
  toggledKind,
  toggledThing,
} from "../fold/agentRewind";

/** As many things of a kind are drawn at first. */
const FIRST = 50;
const DATABASE = "database";
interface Props {
  preview: AgentRewindPreview;
  place: AgentPlace;
  kept: Kept;
  onKept: (kept: Kept) => void;
}

/** What would go back, by kind; the first difference is open. */
export function AgentRewindKinds({ preview, place, kept, onKept }: Props) {
  const first = preview.kinds.find(({ kind, things }) => kind !== DATABASE && things.length > 0)?.kind;
  return preview.kinds.map((kind) => (
    <Kind
      key={kind.kind}
      kind={kind}
      first={kind.kind === (place.only?.kind ?? first)}
      {...{ preview, place, kept, onKept }}
    />
  ));
}

interface KindProps extends Props {
  kind: AgentRewindPreview["kinds"][number];
  first: boolean;
}

function Kind({ kind, first, preview, place, kept, onKept }: KindProps) {
  const [all, setAll] = useState(false);
  const going = goingOf(kept, kind);
  const some = going > 0 && going < kind.things.length;
  const shown = all ? kind.things : kind.things.slice(0, FIRST);
  const opened = place.only?.kind === kind.kind ? place.only.name : kind.things[0]?.name;
  return (
    <fieldset className="rewind-part">
      <legend>
        <label>
          <input
            type="checkbox"
            className="form-check-input"
            checked={going > 0}
            ref={(box) => {
              if (box) box.indeterminate = some;
            }}
            onChange={() => onKept(toggledKind(kept, kind))}
          />{" "}
          {kindWords(kind.kind)}
        </label>{" "}
        <span className="rewind-count">{some ? `${going} of ${count(kind.count)}` : count(kind.count)}</span>
      </legend>
      {kind.kind === DATABASE ? (
        <Writes preview={preview} />
      ) : (
        <ul className="rewind-changes">
          {shown.map((thing) => (
            <Thing
              key={thing.name}
              kind={kind.kind}
              first={first && thing.name === opened}
              goes={!kept.has(thingKey(kind.kind, thing.name))}
              onToggle={() => onKept(toggledThing(kept, kind.kind, thing.name))}
              {...{ thing, place }}
            />
          ))}
        </ul>
      )}
      {kind.kind !== DATABASE && !all && kind.things.length > FIRST && (
        <button type="button" className="btn btn-sm btn-link" onClick={() => setAll(true)}>
          All {count(kind.things.length)}
        </button>
      )}
      {kind.count > kind.things.length && (
        <p className="small text-body-secondary mb-0">
          {count(kind.count - kind.things.length)} more are not listed: they go back where all of this kind
          do.
        </p>
      )}
    </fieldset>
  );
}

interface ThingProps {
  kind: string;
  thing: RewindableThing;
  place: AgentPlace;
  first: boolean;
  goes: boolean;
  onToggle: () => void;
}

function Thing({ kind, thing, place, first, goes, onToggle }: ThingProps) {
  const [open, setOpen] = useState(first);
  const words = thingWords(kind, thing.label);
  const others = othersWords(thing, place.sessionId);
  return (
    <li className={goes ? "" : "is-left-out"}>
      <div className="rewind-thing">
        <input
          type="checkbox"
          className="form-check-input"
          aria-label={`Rewind ${words}`}
          checked={goes}
          onChange={onToggle}
        />
        <details open={open} onToggle={(event) => setOpen(event.currentTarget.open)}>
          <summary>
            <span className="rewind-name">{words}</span>{" "}
            <span className="badge text-bg-secondary">{goes ? fateOf(thing) : "stays as it is"}</span>
          </summary>
          {open && <Difference {...{ kind, thing, place, words }} />}
        </details>
      </div>
      {others && <p className="rewind-touched">{others}</p>}
      {thing.time_passed && goes && <p className="rewind-touched">{kindNamed(kind)?.passed}</p>}
    </li>
  );
}

function Difference({
  kind,
  thing,
  place,
  words,
}: Omit<ThingProps, "first" | "goes" | "onToggle"> & { words: string }) {
  const { name } = thing;
  const read = useRead(
    useCallback((signal) => readThing(place, { kind, name }, signal), [place, kind, name]),
  );
  return (
    <Reading read={read}>
      {({ after: then, now }) => (
        <Diff
          before={now === null ? "" : textOfThing(now.value)}
          after={then === null ? "" : textOfThing(then.value)}
          label={`Change of ${words}`}
        />
      )}
    </Reading>
  );
}

function Writes({ preview }: { preview: AgentRewindPreview }) {
  const { database_writes: writes, database_inexact: inexact } = preview;
  return (
    <>
      {inexact && <p className="rewind-touched">{inexact}</p>}
      <p className="small mb-1">
        It goes back as a whole. The last {writes.length === 1 ? "write" : `${writes.length} writes`} that
        this undoes:
      </p>
      <ul className="rewind-messages">
        {writes.map((one) => (
          <li key={one.sequence}>
            <code>{one.sql ?? "an earlier rewind"}</code>
          </li>
        ))}
      </ul>
    </>
  );
}
