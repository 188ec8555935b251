import type { ReactNode } from "react";

interface Props {
  /** What the list is of. */
  label: string;
  /** One of them is chosen: on a phone it alone is seen. */
  chosen: boolean;
  list: ReactNode;
  className?: string;
  children: ReactNode;
}

/** A list at the left, and the one that was chosen in it at the right. */
export function Pair({ label, chosen, list, className = "", children }: Props) {
  return (
    <div className={`studio-pair ${chosen ? "has-one" : className}`}>
      <section className="studio-list" aria-label={label}>
        {list}
      </section>
      <div className="studio-one">{children}</div>
    </div>
  );
}

interface FindProps {
  label: string;
  hint?: string;
  words: string;
  onWords: (words: string) => void;
  /** What stands beside the field. */
  children: ReactNode;
}

/** Narrows a list down, and begins something new beside it. */
export function Find({ label, hint = "Find", words, onWords, children }: FindProps) {
  return (
    <div className="studio-find">
      <input
        type="search"
        className="form-control form-control-sm"
        aria-label={label}
        placeholder={hint}
        value={words}
        onChange={(event) => onWords(event.target.value)}
      />
      {children}
    </div>
  );
}
