/** What a person writes of a thing: the fields, what is wrong with them, and saving it. */
import { useId, useMemo, useState } from "react";
import { CodeEditor } from "../../../../components/CodeEditor";
import { useAction } from "../../../../lib/hooks/useAction";
import { messageOf, Problem } from "../../../../lib/problems";
import { type Place, save } from "../../api/things";
import { type Flaw, flawOf, markOf, membersOf, type Part } from "../../fold/parts";
import { PreviewBeside } from "./PreviewBeside";

export interface Draft {
  parts: readonly Part[];
  flaw: Flaw | null;
  working: boolean;
  /** Why it was not saved, if that is about none of its parts. */
  failure: string | null;
  changed: boolean;
  write: (id: string, text: string) => void;
  /** Begin again with these. */
  begin: (parts: readonly Part[]) => void;
  /** Save it in place of `version` (0: there is none yet). */
  save: (place: Place, version: number, onSaved: () => void) => void;
}

/** What a person writes, until it is saved; and what is wrong with it. `kept`: texts that were written before. */
export function useDraft(initial: readonly Part[], kept: Readonly<Record<string, string>> = {}): Draft {
  const [began, setBegan] = useState(initial);
  const [parts, setParts] = useState(() =>
    initial.map((part) => ({ ...part, text: kept[part.id] ?? part.text })),
  );
  const [flaw, setFlaw] = useState<Flaw | null>(null);
  const action = useAction();
  const known = flaw?.part !== undefined && parts.some(({ id }) => id === flaw?.part);
  return {
    parts,
    flaw: known ? flaw : null,
    working: action.working,
    failure: known ? null : (flaw?.message ?? null),
    changed: parts.some((part, index) => part.text !== began[index]?.text),
    write: (id, text) => setParts((now) => now.map((part) => (part.id === id ? { ...part, text } : part))),
    begin(next) {
      setBegan(next);
      setParts([...next]);
      setFlaw(null);
    },
    save(place, version, onSaved) {
      const read = membersOf(parts);
      setFlaw("flaw" in read ? read.flaw : null);
      if ("flaw" in read) return;
      action.run(
        () => save(place, read.members, version),
        onSaved,
        (failure) => setFlaw(flawOf(messageOf(failure), failure instanceof Problem ? failure.more : {})),
      );
    },
  };
}

interface FieldsProps {
  place: Place;
  draft: Draft;
}

/** The parts of a thing, to edit; beside what is drawn, the page that they make. */
export function Fields({ place, draft: { parts, flaw, write } }: FieldsProps) {
  const fields = parts.map((part) => (
    <PartField
      key={part.id}
      part={part}
      flaw={flaw?.part === part.id ? flaw : null}
      onChange={(text) => write(part.id, text)}
    />
  ));
  if (!place.kind.page.drawn) return fields;
  return (
    <PreviewBeside place={place} parts={parts}>
      {fields}
    </PreviewBeside>
  );
}

interface PartFieldProps {
  part: Part;
  flaw: Flaw | null;
  onChange: (text: string) => void;
}

function PartField({ part: { label, language, list, text }, flaw, onChange }: PartFieldProps) {
  const id = useId();
  const mark = useMemo(() => markOf(flaw), [flaw]);
  return (
    <div className="studio-field">
      {language === "line" ? (
        <>
          <label className="form-label" htmlFor={id}>
            {label}
          </label>
          <textarea
            id={id}
            className={`form-control ${flaw ? "is-invalid" : ""}`}
            rows={list ? 1 : 2}
            value={text}
            aria-describedby={flaw ? `${id}-flaw` : undefined}
            onChange={(event) => onChange(event.target.value)}
          />
          {list && <p className="form-text">Separated by commas.</p>}
        </>
      ) : (
        <>
          <p className="form-label">{label}</p>
          <CodeEditor label={label} language={language} text={text} onChange={onChange} mark={mark} />
        </>
      )}
      {flaw && (
        <p className="field-flaw" id={`${id}-flaw`} role="alert">
          {flaw.line ? `Line ${flaw.line}, column ${flaw.column ?? 1}: ` : ""}
          {flaw.message}
        </p>
      )}
    </div>
  );
}
