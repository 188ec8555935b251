/** What was done in an agent's name: lists that are narrowed down, turned page by page, and saved. */
import { type FormEvent, type ReactNode, useCallback, useId, useState } from "react";
import { Reading } from "../../../../components/Reading";
import { useAction } from "../../../../lib/hooks/useAction";
import { usePages } from "../../../../lib/hooks/usePages";
import { useRead } from "../../../../lib/hooks/useRead";
import { useTicks } from "../../../../lib/hooks/useTicks";
import { historyHref } from "../../../../lib/route";
import { save } from "../../../../lib/saving";
import { count, fullTime } from "../../../../lib/words";
import { asLines, MOST_SAVED, readList, type Wanted } from "../../api/operating";
import type { DoneList, DoneRow, Narrowing } from "../../fold/lists";
import { Failure, type InRoom, PageTurns, Press, Room, Select, type TitleOf } from "../controls";

const FRESH_MS = 10_000;

export interface Page<Row> {
  rows: readonly Row[];
  next: string | null;
}

interface RecordsProps<Filter, Row> {
  agentId: string;
  label: string;
  about: string;
  /** What stands where there is nothing at all. */
  none: string;
  any: Filter;
  narrowing: Narrowing<keyof Filter & string>;
  read: (agentId: string, filter: Filter, wanted: Wanted) => Promise<Page<Row>>;
  /** What the list is saved as, before the agent's name; null: it isn't. */
  name: string | null;
  children: (rows: readonly Row[], again: () => void) => ReactNode;
}

/** A list of what was done, newest first. */
export function Records<Filter extends object, Row>(props: RecordsProps<Filter, Row>) {
  const { agentId, label, about, none, any, narrowing, read, name, children } = props;
  const [filter, setFilter] = useState(any);
  const pages = usePages();
  const { cursor } = pages;
  const page = useRead(
    useCallback(
      (signal: AbortSignal) => read(agentId, filter, { cursor, signal }),
      [read, agentId, filter, cursor],
    ),
    useTicks(FRESH_MS),
  );
  const saving = useAction();
  const chosen = Object.values(filter).some((one) => one !== null);
  const lines = () => asLines((wanted) => read(agentId, filter, wanted));
  const choose = (change: Partial<Filter>) => {
    setFilter({ ...filter, ...change });
    pages.restart();
  };
  return (
    <Room label={label} about={about}>
      <Filters narrowing={narrowing} filter={filter} onChoose={choose} />
      <Reading read={page}>
        {({ rows, next }) => (
          <>
            {rows.length === 0 ? (
              <p role="status">{chosen ? "Nothing fits." : none}</p>
            ) : (
              <ul className="lever-list">{children(rows, page.again)}</ul>
            )}
            <PageTurns pages={pages} older={next}>
              {name !== null && (
                <Press
                  disabled={saving.working || rows.length === 0}
                  title={`One JSON document a line, the newest ${count(MOST_SAVED)}`}
                  onPress={() =>
                    saving.run(lines, (text) => save(`${name}-${agentId}.jsonl`, text, "application/jsonl"))
                  }
                >
                  Save as JSONL
                </Press>
              )}
            </PageTurns>
            <Failure failure={saving.failure} />
          </>
        )}
      </Reading>
    </Room>
  );
}

interface DoneRecordsProps extends Pick<InRoom, "agentId" | "titleOf"> {
  list: DoneList;
}

/** A list of what was done in the agent's name, as its file in `lists` declares it. */
export function DoneRecords({ list, agentId, titleOf }: DoneRecordsProps) {
  const { narrowing, title } = list;
  const keys = [...narrowing.texts, narrowing.choice].map(({ key }) => key);
  const read = useCallback(
    (agent: string, filter: Readonly<Record<string, string | null>>, wanted: Wanted) =>
      readList<DoneRow>(list, agent, filter, wanted),
    [list],
  );
  return (
    <Records
      agentId={agentId}
      label={title}
      about={list.about}
      none={list.none}
      any={Object.fromEntries(keys.map((key): [string, string | null] => [key, null]))}
      narrowing={narrowing}
      read={read}
      name={list.saved}
    >
      {(rows) =>
        rows.map((one, place) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: a call may do the same twice, and rows keep nothing
          <li key={`${one.session_id} ${one.sequence} ${place}`} className="lever-item">
            <p className="lever-item-head">
              <code className="lever-words">{list.what(one)}</code>
              <span className="badge studio-badge">{list.badge(one)}</span>
            </p>
            <Done one={one} titleOf={titleOf}>
              {list.facts(one)}
            </Done>
            {list.below?.(one)}
          </li>
        ))
      }
    </Records>
  );
}

interface FiltersProps<Filter> {
  narrowing: Narrowing<keyof Filter & string>;
  filter: Filter;
  onChoose: (change: Partial<Filter>) => void;
}

function Filters<Filter>({ narrowing, filter, onChoose }: FiltersProps<Filter>) {
  const { label, texts, choice } = narrowing;
  const [typed, setTyped] = useState<Readonly<Record<string, string>>>({});
  const id = useId();
  const set = (key: string, text: string) => ({ [key]: text.trim() || null }) as Partial<Filter>;
  const search = (event: FormEvent) => {
    event.preventDefault();
    onChoose(Object.assign({}, ...texts.map(({ key }) => set(key, typed[key] ?? ""))));
  };
  return (
    <form className="lever-filters" role="search" aria-label={label} onSubmit={search}>
      {texts.map(({ key, label: words, hint, longest }) => (
        <input
          key={key}
          type="search"
          className="form-control form-control-sm"
          aria-label={words}
          placeholder={hint}
          maxLength={longest}
          value={typed[key] ?? ""}
          onChange={(event) => setTyped({ ...typed, [key]: event.target.value })}
        />
      ))}
      <label className="visually-hidden" htmlFor={id}>
        {choice.label}
      </label>
      <Select
        id={id}
        value={String(filter[choice.key] ?? "")}
        words={[["", choice.any], ...Object.entries(choice.words)]}
        onChoose={(one) => onChoose(set(choice.key, one))}
      />
      {texts.length > 0 && (
        <Press type="submit" look="btn-outline-primary">
          Find
        </Press>
      )}
    </form>
  );
}

interface DoneProps {
  one: DoneRow;
  titleOf: TitleOf;
  children: ReactNode;
}

/** By which call, when and in which chat something was done. */
function Done({ one, titleOf, children }: DoneProps) {
  return (
    <p className="lever-item-head text-body-secondary small">
      {children}
      {one.tool && <code>{one.tool}</code>}
      <span>{fullTime(one.recorded_at)}</span>
      <a href={historyHref(one.session_id, one.sequence)}>
        {titleOf(one.session_id) ?? one.title ?? "Its chat"}
      </a>
    </p>
  );
}
