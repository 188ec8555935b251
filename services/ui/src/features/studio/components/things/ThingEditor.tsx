import { useEffect, useRef, useState } from "react";
import { Diff } from "../../../../components/Diff";
import { useSaveKey } from "../../../../lib/hooks/useSaveKey";
import { keepEdit, readEdit } from "../../api/drafts";
import type { Place, Thing } from "../../api/things";
import { differences, partsOf, textsOf } from "../../fold/parts";
import { FormEnd, Press } from "../controls";
import { Fields, useDraft } from "./draft";

interface Props {
  place: Place;
  /** As it is now: it may change while it is edited. */
  thing: Thing;
  onDone: () => void;
}

/**
 * Edits a thing. If somebody changes it meanwhile, it says so and nothing is overwritten unasked. What is neither saved
 * nor cancelled is there again when the editor is opened again.
 */
export function ThingEditor({ place, thing, onDone }: Props) {
  const { kind } = place;
  const [kept] = useState(() => readEdit(place));
  const [base, setBase] = useState(kept?.base ?? thing);
  const draft = useDraft(partsOf(kind, base.value), kept?.texts);
  const { parts, changed } = draft;
  useEffect(
    () => keepEdit(place, changed ? { base, texts: textsOf(parts) } : null),
    [place, changed, base, parts],
  );
  const done = () => {
    keepEdit(place, null);
    onDone();
  };
  const overtaken = base.sequence !== thing.sequence;
  const ready = changed && !overtaken;
  const form = useRef<HTMLFormElement>(null);
  useSaveKey(() => {
    if (ready) form.current?.requestSubmit();
  });
  return (
    <form
      ref={form}
      className="studio-editor"
      aria-label={`Edit ${place.name}`}
      onSubmit={(event) => {
        event.preventDefault();
        draft.save(place, base.version, done);
      }}
    >
      {kept && (
        <p className="small text-body-secondary" role="status">
          What you had written here and not saved is here again. Cancel drops it.
        </p>
      )}
      {overtaken && (
        <div className="alert alert-warning" role="alert">
          <p>Somebody changed it in the meantime. It is at version {thing.version} now.</p>
          {differences(kind, base.value, thing.value).map(({ label, before, after }) => (
            <div key={label} className="studio-difference">
              <Diff before={before} after={after} label={`What somebody changed in ${label.toLowerCase()}`} />
            </div>
          ))}
          <Press onPress={() => setBase(thing)}>Keep mine and overwrite that version</Press>{" "}
          <Press
            onPress={() => {
              setBase(thing);
              draft.begin(partsOf(kind, thing.value));
            }}
          >
            Take that version and drop mine
          </Press>
        </div>
      )}
      <Fields place={place} draft={draft} />
      {kind.page.hint && <p className="small text-body-secondary">{kind.page.hint}</p>}
      <FormEnd failure={draft.failure} working={draft.working} ready={ready} onCancel={done} />
    </form>
  );
}
