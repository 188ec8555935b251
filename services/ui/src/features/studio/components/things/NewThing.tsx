import { useEffect, useId, useRef, useState } from "react";
import { useSaveKey } from "../../../../lib/hooks/useSaveKey";
import { keepBeginning, readBeginning } from "../../api/drafts";
import { BEGINNINGS } from "../../fold/beginnings";
import { partsOf, textsOf } from "../../fold/parts";
import { ABOUT, type ListSection } from "../../fold/sections";
import { FormEnd } from "../FormEnd";
import { Fields } from "./Fields";
import { PreviewBeside } from "./PreviewBeside";
import { useDraft } from "./useDraft";

interface Props {
  agentId: string;
  section: ListSection;
  onCancel: () => void;
  onSaved: (name: string) => void;
}

/** Makes a thing by hand. */
export function NewThing({ agentId, section, onCancel, onSaved }: Props) {
  const id = useId();
  const [kept] = useState(() => readBeginning(agentId, section));
  const [name, setName] = useState(kept?.name ?? "");
  const draft = useDraft(partsOf(section, BEGINNINGS[section]), kept?.texts);
  const { parts, changed } = draft;
  useEffect(
    () => keepBeginning(agentId, section, changed || name ? { name, texts: textsOf(parts) } : null),
    [agentId, section, changed, name, parts],
  );
  const form = useRef<HTMLFormElement>(null);
  useSaveKey(() => {
    if (name) form.current?.requestSubmit();
  });
  const fields = <Fields parts={parts} flaw={draft.flaw} onChange={draft.write} />;
  const forget = () => keepBeginning(agentId, section, null);
  return (
    <form
      ref={form}
      className="studio-thing studio-editor"
      aria-label={`New ${ABOUT[section].noun}`}
      onSubmit={(event) => {
        event.preventDefault();
        draft.save({ agentId, section, name }, 0, () => {
          forget();
          onSaved(name);
        });
      }}
    >
      <h2 className="fs-5">New {ABOUT[section].noun}</h2>
      <div className="studio-field">
        <label className="form-label" htmlFor={id}>
          {section === "state" ? "Key" : "Name"}
        </label>
        <input
          id={id}
          className="form-control"
          value={name}
          required
          maxLength={256}
          autoComplete="off"
          spellCheck={false}
          // biome-ignore lint/a11y/noAutofocus: the form appears because the user asked for it
          autoFocus
          onChange={(event) => setName(event.target.value)}
        />
      </div>
      {section === "components" ? (
        <PreviewBeside place={{ agentId, section, name: name || "New" }} parts={parts}>
          {fields}
        </PreviewBeside>
      ) : (
        fields
      )}
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
