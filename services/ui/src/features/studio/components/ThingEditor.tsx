import { useState } from "react";
import { Diff } from "../../../components/Diff";
import type { Place, Thing } from "../api/requests";
import { differences, partsOf } from "../fold/parts";
import { Fields } from "./Fields";
import { FormEnd } from "./FormEnd";
import { useDraft } from "./useDraft";

interface Props {
  place: Place;
  /** As it is now: it may change while it is edited. */
  thing: Thing;
  onDone: () => void;
}

/** Edits a thing. If somebody changes it meanwhile, it says so and nothing is overwritten unasked. */
export function ThingEditor({ place, thing, onDone }: Props) {
  const { section } = place;
  const [base, setBase] = useState(thing);
  const draft = useDraft(partsOf(section, thing.value));
  const overtaken = base.sequence !== thing.sequence;
  return (
    <form
      className="studio-editor"
      aria-label={`Edit ${place.name}`}
      onSubmit={(event) => {
        event.preventDefault();
        draft.save(place, base.version, onDone);
      }}
    >
      {overtaken && (
        <div className="alert alert-warning" role="alert">
          <p>Somebody changed it in the meantime. It is at version {thing.version} now.</p>
          {differences(section, base.value, thing.value).map(({ label, before, after }) => (
            <div key={label} className="studio-difference">
              <Diff before={before} after={after} label={`What somebody changed in ${label.toLowerCase()}`} />
            </div>
          ))}
          <button type="button" className="btn btn-sm btn-outline-secondary" onClick={() => setBase(thing)}>
            Keep mine and overwrite that version
          </button>{" "}
          <button
            type="button"
            className="btn btn-sm btn-outline-secondary"
            onClick={() => {
              setBase(thing);
              draft.begin(partsOf(section, thing.value));
            }}
          >
            Take that version and drop mine
          </button>
        </div>
      )}
      <Fields parts={draft.parts} flaw={draft.flaw} onChange={draft.write} />
      <FormEnd
        failure={draft.failure}
        working={draft.working}
        ready={draft.changed && !overtaken}
        onCancel={onDone}
      />
    </form>
  );
}
