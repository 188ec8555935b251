/** What the pages of the studio are made of: buttons, fields, forms, lists. */
import type { ComponentProps, ReactNode } from "react";
import { Field } from "../../../components/Field";
import { Icon } from "../../../components/Icon";
import type { Pages } from "../../../lib/hooks/usePages";
import { messageOf } from "../../../lib/problems";
import "../levers.css";

/** A session's title, as far as it is known. */
export type TitleOf = (sessionId: string) => string | null;

/** What a room of the studio is given. */
export interface InRoom {
  agentId: string;
  /** Another one: what is shown has changed, and is read anew. */
  revision: string;
  titleOf: TitleOf;
}

export interface PressProps extends Omit<ComponentProps<"button">, "onClick"> {
  look?: string;
  large?: boolean;
  icon?: ComponentProps<typeof Icon>["name"];
  /** What it is about, for people who can't see where it stands. */
  of?: ReactNode;
  onPress?: () => void;
}

/** A button. */
export function Press({
  look = "btn-outline-secondary",
  large = false,
  icon,
  of,
  onPress,
  className = "",
  children,
  ...rest
}: PressProps) {
  const classes = ["btn", large ? "" : "btn-sm", look, className].filter(Boolean).join(" ");
  return (
    <button type="button" className={classes} onClick={onPress} {...rest}>
      {icon && (
        <>
          <Icon name={icon} size={14} />{" "}
        </>
      )}
      {children}
      {of && <span className="visually-hidden"> {of}</span>}
    </button>
  );
}

/** Why what the user wanted did not happen; nothing if it did. */
export function Failure({ failure }: { failure: unknown }) {
  if (failure === null) return null;
  return (
    <div className="alert alert-danger" role="alert">
      {messageOf(failure)}
    </div>
  );
}

interface FormProps {
  label: string;
  className?: string;
  onSubmit: () => void;
  children: ReactNode;
}

/** A form that people fill in by themselves: the browser suggests nothing. */
export function Form({ label, className = "studio-secret-form", onSubmit, children }: FormProps) {
  return (
    <form
      className={className}
      aria-label={label}
      autoComplete="off"
      onSubmit={(event) => {
        event.preventDefault();
        onSubmit();
      }}
    >
      {children}
    </form>
  );
}

interface FormEndProps {
  /** Why it was not saved; null: nothing is wrong. */
  failure: unknown;
  working: boolean;
  /** False while there is nothing that could be saved. */
  ready?: boolean;
  onCancel: () => void;
}

/** The last lines of a form that saves something. */
export function FormEnd({ failure, working, ready = true, onCancel }: FormEndProps) {
  return (
    <>
      <Failure failure={failure} />
      <div className="studio-buttons">
        <Press type="submit" large look="btn-primary" disabled={working || !ready}>
          {working ? "Saving…" : "Save"}
        </Press>
        <Press large onPress={onCancel}>
          Cancel
        </Press>
      </div>
    </>
  );
}

interface TextFieldProps extends Omit<ComponentProps<"input">, "value" | "onChange"> {
  label: ReactNode;
  help?: ReactNode;
  flaw?: string | null | undefined;
  /** It has several lines. */
  rows?: number;
  value: string;
  onText: (text: string) => void;
}

/** A field for a text, under its label. */
export function TextField({ label, help, flaw, rows, onText, className = "", ...rest }: TextFieldProps) {
  return (
    <Field label={label} help={help} flaw={flaw ?? null}>
      {(tied) => {
        const given = {
          ...tied,
          ...{ className: `form-control ${className}`, spellCheck: false, autoComplete: "off" },
          ...rest,
          onChange: (event: { target: { value: string } }) => onText(event.target.value),
        };
        if (rows === undefined) return <input {...given} />;
        return <textarea {...(given as ComponentProps<"textarea">)} rows={rows} />;
      }}
    </Field>
  );
}

interface SelectProps<One extends string> extends Omit<ComponentProps<"select">, "value" | "onChange"> {
  value: One;
  /** What can be chosen, and in which words. */
  words: Readonly<Record<string, string>> | readonly (readonly [One, ReactNode])[];
  onChoose: (one: One) => void;
}

/** A choice of one of some. */
export function Select<One extends string>({ words, onChoose, ...rest }: SelectProps<One>) {
  const choices = Array.isArray(words) ? words : Object.entries(words);
  return (
    <select
      className="form-select form-select-sm"
      {...rest}
      onChange={(event) => onChoose(event.target.value as One)}
    >
      {choices.map(([one, said]) => (
        <option key={one} value={one}>
          {said}
        </option>
      ))}
    </select>
  );
}

interface PageTurnsProps {
  pages: Pages;
  /** What the next older page begins after; null where this is the oldest. */
  older: string | null;
  /** More that can be done with the list. */
  children?: ReactNode;
}

/** Turns the pages of a list. Where there is one page, and nothing more to do, it isn't there. */
export function PageTurns({ pages, older, children }: PageTurnsProps) {
  if (pages.newest && older === null && !children) return null;
  return (
    <div className="lever-pages">
      <Press disabled={pages.newest} onPress={pages.newer}>
        Newer
      </Press>
      <Press disabled={older === null} onPress={() => older !== null && pages.older(older)}>
        Older
      </Press>
      {children}
    </div>
  );
}

/** A page of the studio that is no list of things: what it is about, and below that what is there. */
export function Room({ label, about, children }: { label: string; about: ReactNode; children: ReactNode }) {
  return (
    <div className="studio-scrolls">
      <section className="lever-room" aria-label={label}>
        <p className="text-body-secondary">{about}</p>
        {children}
      </section>
    </div>
  );
}

interface PairProps {
  /** What the list is of. */
  label: string;
  /** One of them is chosen: on a phone it alone is seen. */
  chosen: boolean;
  list: ReactNode;
  className?: string;
  children: ReactNode;
}

/** A list at the left, and the one that was chosen in it at the right. */
export function Pair({ label, chosen, list, className = "", children }: PairProps) {
  return (
    <div className={`studio-pair ${chosen ? "has-one" : className}`}>
      <section className="studio-list" aria-label={label}>
        {list}
      </section>
      <div className="studio-one">{children}</div>
    </div>
  );
}
