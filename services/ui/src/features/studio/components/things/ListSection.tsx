import { useState } from "react";
import { go, studioHref } from "../../../../lib/route";
import { readEdit } from "../../api/drafts";
import type { StudioState } from "../../api/openStudio";
import { type PagedKind, sectionOf } from "../../fold/shelves";
import { by, found, type Item, itemsOf } from "../../fold/view";
import { Pair, Press, type TitleOf } from "../controls";
import { Find, ItemLink } from "../rows";
import { NewThing } from "./NewThing";
import { PinButton, PinnedTools, type Pins, usePins } from "./pins";
import { ThingView } from "./ThingView";

interface Props {
  agentId: string;
  kind: PagedKind;
  name: string | null;
  shown: string | null;
  state: StudioState;
  titleOf: TitleOf;
}

/** The things of one kind, and one of them. */
export function ListSection({ agentId, kind, name, shown, state, titleOf }: Props) {
  const [words, setWords] = useState("");
  const [adding, setAdding] = useState(false);
  const section = sectionOf(kind);
  const items = itemsOf(state.view, kind.kind);
  const pins = usePins(kind.page.pinned ? agentId : null, `${state.reads} ${state.view.since.setting}`);
  const listed = found(items, words);
  const empty = Object.keys(items).length === 0;
  return (
    <Pair
      label={kind.title}
      chosen={name !== null || adding}
      list={
        <>
          <Find label={`Find a ${kind.noun}`} words={words} onWords={setWords}>
            <Press
              icon="plus"
              onPress={() => {
                setAdding(true);
                if (name !== null) go(studioHref(agentId, section));
              }}
            >
              New
            </Press>
          </Find>
          <ul className="studio-items">
            {listed.map((item) => (
              <ItemRow
                key={item.name}
                item={item}
                href={studioHref(agentId, section, item.name)}
                current={item.name === name}
                unsaved={readEdit({ agentId, kind, name: item.name }) !== null}
                onGo={() => setAdding(false)}
                pins={pins}
              />
            ))}
          </ul>
          {listed.length === 0 && (
            <p className="side-note" role="status">
              {empty ? kind.page.none : "Nothing found."}
            </p>
          )}
          {pins && <PinnedTools pins={pins} own={Object.keys(items)} />}
        </>
      }
    >
      {adding && name === null && (
        <NewThing
          agentId={agentId}
          kind={kind}
          onCancel={() => setAdding(false)}
          onSaved={(made) => {
            setAdding(false);
            go(studioHref(agentId, section, made));
          }}
        />
      )}
      {name !== null && (
        <ThingView key={name} {...{ place: { agentId, kind, name }, shown, state, titleOf }} />
      )}
      {name === null && !adding && !empty && (
        <p className="studio-choose text-body-secondary">Choose a {kind.noun} to see it and its versions.</p>
      )}
    </Pair>
  );
}

interface RowProps {
  item: Item;
  href: string;
  current: boolean;
  onGo: () => void;
  /** Somebody wrote something here and did not save it. */
  unsaved: boolean;
  /** null: nothing is pinned here. */
  pins: Pins | null;
}

/** One thing in its list: its name, what it is for, its version, who changed it last. */
function ItemRow({ item, unsaved, pins, ...link }: RowProps) {
  const { name, description, enabled, quarantined, version, written_at: time, actor } = item;
  return (
    <li>
      <ItemLink
        {...link}
        name={<code className="studio-item-name">{name}</code>}
        marks={
          <>
            {!enabled && <span className="badge text-bg-secondary">disabled</span>}
            {unsaved && <span className="badge studio-badge">not saved</span>}
            {quarantined && (
              <span className="badge text-bg-warning" title={quarantined}>
                in quarantine
              </span>
            )}
          </>
        }
        version={`v${version}`}
        about={description}
        time={time}
        by={`by ${by(actor)}, `}
      />
      {pins && <PinButton name={name} pins={pins} />}
    </li>
  );
}
