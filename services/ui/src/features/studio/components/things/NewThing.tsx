import { useEffect, useRef, useState } from "react";
import { useSaveKey } from "../../../../lib/hooks/useSaveKey";
import { keepBeginning, readBeginning } from "../../api/drafts";
import { partsOf, textsOf } from "../../fold/parts";
import type { PagedKind } from "../../fold/shelves";
import { FormEnd, TextField } from "../controls";
import { Fields, useDraft } from "./draft";

interface Props {
  agentId: string;
  kind: PagedKind;
  onCancel: () => void;
  onSaved: (name: string) => void;
}

/** Makes a thing by hand. */
export function NewThing({ agentId, kind, onCancel, onSaved }: Props) {
  const [kept] = useState(() => readBeginning(agentId, kind.kind));
  const [name, setName] = useState(kept?.name ?? "");
  const draft = useDraft(partsOf(kind, kind.page.begins), kept?.texts);
  const { parts, changed } = draft;
  useEffect(
    () => keepBeginning(agentId, kind.kind, changed || name ? { name, texts: textsOf(parts) } : null),
    [agentId, kind, changed, name, parts],
  );
  const form = useRef<HTMLFormElement>(null);
  useSaveKey(() => {
    if (name) form.current?.requestSubmit();
  });
  const forget = () => keepBeginning(agentId, kind.kind, null);
  return (
    <form
      ref={form}
      className="studio-thing studio-editor"
      aria-label={`New ${kind.noun}`}
      onSubmit={(event) => {
        event.preventDefault();
        draft.save({ agentId, kind, name }, 0, () => {
          forget();
          onSaved(name);
        });
      }}
    >
      <h2 className="fs-5">New {kind.noun}</h2>
      <div className="studio-field">
        <TextField label="Name" value={name} required maxLength={256} autoFocus onText={setName} />
      </div>
      <Fields place={{ agentId, kind, name: name || "New" }} draft={draft} />
      <FormEnd
        failure={draft.failure}
        working={draft.working}
        ready={name !== ""}
        onCancel={() => {
          forget();
          onCancel();
        }}
      />
    </form>
  );
}
