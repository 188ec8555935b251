import { useState } from "react";
import { useAction } from "../../../../lib/hooks/useAction";
import { messageOf, Problem } from "../../../../lib/problems";
import type { Place } from "../../api/requests";
import { save } from "../../api/writes";
import { type Flaw, flawOf, membersOf } from "../../fold/body";
import type { Part } from "../../fold/parts";

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
