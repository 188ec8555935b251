import { useState } from "react";
import { Icon } from "../../../../components/Icon";
import { go, studioHref } from "../../../../lib/route";
import { readEdit } from "../../api/drafts";
import type { StudioState } from "../../api/openStudio";
import { ABOUT, type ListSection as Section } from "../../fold/sections";
import { found } from "../../fold/view";
import { Find, Pair } from "../Pair";
import { ItemRow } from "./ItemRow";
import { NewThing } from "./NewThing";
import { PinnedTools } from "./PinnedTools";
import { ThingView } from "./ThingView";
import { usePins } from "./usePins";

interface Props {
  agentId: string;
  section: Section;
  name: string | null;
  shown: string | null;
  state: StudioState;
  titleOf: (sessionId: string) => string | null;
}

/** The things of one kind, and one of them. */
export function ListSection({ agentId, section, name, shown, state, titleOf }: Props) {
  const [words, setWords] = useState("");
  const [adding, setAdding] = useState(false);
  const items = state.view.lists[section];
  const pins = usePins(section === "tools" ? agentId : null, `${state.reads} ${state.view.settings}`);
  const listed = found(items, words);
  const { title, noun, none } = ABOUT[section];
  const empty = Object.keys(items).length === 0;
  return (
    <Pair
      label={title}
      chosen={name !== null || adding}
      list={
        <>
          <Find label={`Find a ${noun}`} words={words} onWords={setWords}>
            <button
              type="button"
              className="btn btn-sm btn-outline-secondary"
              onClick={() => {
                setAdding(true);
                if (name !== null) go(studioHref(agentId, section));
              }}
            >
              <Icon name="plus" size={14} /> New
            </button>
          </Find>
          <ul className="studio-items">
            {listed.map((item) => (
              <ItemRow
                key={item.name}
                item={item}
                href={studioHref(agentId, section, item.name)}
                current={item.name === name}
                unsaved={readEdit({ agentId, section, name: item.name }) !== null}
                onGo={() => setAdding(false)}
                pins={pins}
              />
            ))}
          </ul>
          {listed.length === 0 && (
            <p className="side-note" role="status">
              {empty ? none : "Nothing found."}
            </p>
          )}
          {pins && <PinnedTools pins={pins} own={Object.keys(items)} />}
        </>
      }
    >
      {adding && name === null && (
        <NewThing
          agentId={agentId}
          section={section}
          onCancel={() => setAdding(false)}
          onSaved={(made) => {
            setAdding(false);
            go(studioHref(agentId, section, made));
          }}
        />
      )}
      {name !== null && (
        <ThingView
          key={name}
          place={{ agentId, section, name }}
          shown={shown}
          state={state}
          titleOf={titleOf}
        />
      )}
      {name === null && !adding && !empty && (
        <p className="studio-choose text-body-secondary">Choose a {noun} to see it and its versions.</p>
      )}
    </Pair>
  );
}
