/** How the lists of the studio show one of theirs, and how they are narrowed down. */
import type { ReactNode } from "react";
import { clockTime, dayWords, fullTime } from "../../../lib/words";

/** A day and a time, as lists have it. */
export const whenWords = (time: string): string => `${dayWords(time, new Date())} ${clockTime(time)}`;

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

interface ItemLinkProps {
  href: string;
  current: boolean;
  onGo?: () => void;
  name: ReactNode;
  /** Marks between its name and its version. */
  marks?: ReactNode;
  version: ReactNode;
  about?: ReactNode;
  time?: string | null;
  by?: string;
}

/** One of a list at the left: it leads to what stands at the right. */
export function ItemLink({ href, current, onGo, name, marks, version, about, time, by = "" }: ItemLinkProps) {
  return (
    <a className="studio-item" href={href} aria-current={current ? "true" : undefined} onClick={onGo}>
      <span className="studio-item-head">
        {name}
        {marks}
        <span className="studio-item-version">{version}</span>
      </span>
      {about && (
        <span className="studio-item-about" dir="auto">
          {about}
        </span>
      )}
      {time && (
        <span className="studio-item-when" title={fullTime(time)}>
          {by}
          {whenWords(time)}
        </span>
      )}
    </a>
  );
}

interface LineRowProps {
  name: ReactNode;
  /** What it is, behind its name. */
  about?: ReactNode;
  when?: ReactNode;
  /** What can be done with it. */
  children: ReactNode;
}

/** One line of a list: its name, what it is, and what can be done with it. */
export function LineRow({ name, about, when, children }: LineRowProps) {
  return (
    <li className="studio-secret">
      <div className="studio-secret-what">
        {name}
        {about && <span className="studio-secret-hosts">{about}</span>}
        {when && <span className="studio-item-when">{when}</span>}
      </div>
      <div className="studio-actions">{children}</div>
    </li>
  );
}
