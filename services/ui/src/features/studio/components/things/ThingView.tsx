import { useCallback, useState } from "react";
import { CodeEditor } from "../../../../components/CodeEditor";
import { OutsideLine } from "../../../../components/OutsideLine";
import { Reading } from "../../../../components/Reading";
import { useAction } from "../../../../lib/hooks/useAction";
import { useRead } from "../../../../lib/hooks/useRead";
import { studioHref } from "../../../../lib/route";
import { members } from "../../../../lib/shape";
import type { Version } from "../../../../lib/wire";
import { readEdit } from "../../api/drafts";
import type { StudioState } from "../../api/openStudio";
import { type Place, readThing, remove, switchTo, type Thing } from "../../api/things";
import { type Part, partsOf } from "../../fold/parts";
import { sectionOf, tabsOf } from "../../fold/shelves";
import { itemsOf, keyOf } from "../../fold/view";
import { Failure, Press, type TitleOf } from "../controls";
import { Delete } from "../deleting";
import { Author, useVersions, Versions } from "../versions/Versions";
import { PreviewBeside } from "./PreviewBeside";
import { TestRun } from "./TestRun";
import { ThingEditor } from "./ThingEditor";

interface Props {
  place: Place;
  /** Which view of it: `schema`, `versions`, `try`; null and anything else: its main part. */
  shown: string | null;
  state: StudioState;
  titleOf: TitleOf;
}

/** One thing: what it is, its versions, and what can be done with it. */
export function ThingView({ place, shown, state, titleOf }: Props) {
  const { agentId, kind, name } = place;
  const [editing, setEditing] = useState(() => readEdit(place) !== null);
  const section = sectionOf(kind);
  const revision = `${state.reads} ${state.view.changed[keyOf(kind.kind, name)] ?? 0}`;
  // What is in no list is not asked for: it was deleted, or never was.
  const there = Boolean(kind.only) || Object.hasOwn(itemsOf(state.view, kind.kind), name);
  const read = useCallback(
    async (signal: AbortSignal) => ({
      thing: there ? await readThing({ agentId, kind, name }, null, signal) : null,
    }),
    [agentId, kind, name, there],
  );
  const current = useRead<{ thing: Thing | null }>(read, revision);
  const versions = useVersions(place, revision);
  return (
    <article className="studio-thing" aria-label={kind.only ? kind.title : name}>
      {!kind.only && (
        <a className="studio-back" href={studioHref(agentId, section)}>
          All {kind.title.toLowerCase()}
        </a>
      )}
      <Reading read={current}>
        {({ thing }) => {
          const parts = partsOf(kind, thing?.value);
          const tabs = tabsOf(kind, thing !== null);
          const chosen = (tabs.find(({ view }) => view === (shown ?? undefined)) ?? tabs[0])?.view;
          const main = parts.find((part) => part.language !== "line");
          const part = parts.find((one) => one.id === chosen) ?? main;
          const view = part && <PartView part={part} empty={kind.page.none} />;
          return (
            <>
              <ThingHead
                place={place}
                thing={thing}
                newest={versions.read.value?.versions[0] ?? null}
                titleOf={titleOf}
                onEdit={editing ? null : () => setEditing(true)}
              />
              {editing && thing ? (
                <ThingEditor place={place} thing={thing} onDone={() => setEditing(false)} />
              ) : (
                <>
                  <nav className="studio-views" aria-label={`Views of ${name}`}>
                    {tabs.map(({ view: one, title }) => (
                      <a
                        key={title}
                        className="studio-view"
                        href={studioHref(agentId, section, name, one)}
                        aria-current={one === chosen ? "page" : undefined}
                      >
                        {title}
                      </a>
                    ))}
                  </nav>
                  {chosen === "versions" ? (
                    <Versions place={place} versions={versions} titleOf={titleOf} />
                  ) : chosen === "try" && thing !== null ? (
                    <TestRun place={place} thing={thing} />
                  ) : kind.page.drawn && part === main ? (
                    <PreviewBeside place={place} parts={parts}>
                      {view}
                    </PreviewBeside>
                  ) : (
                    view
                  )}
                </>
              )}
            </>
          );
        }}
      </Reading>
    </article>
  );
}

/** A part of a thing, to read. */
function PartView({ part: { id, label, language, text }, empty }: { part: Part; empty: string }) {
  if (!text)
    return <p className="text-body-secondary">{language === "json" ? "It doesn't have one." : empty}</p>;
  return <CodeEditor key={id} label={label} language={language === "line" ? "text" : language} text={text} />;
}

interface HeadProps {
  place: Place;
  thing: Thing | null;
  newest: Version | null;
  titleOf: TitleOf;
  /** null: it is being edited. */
  onEdit: (() => void) | null;
}

/** A thing's name, what it is for, who made it as it is, and what can be done with it. */
function ThingHead({ place, thing, newest, titleOf, onEdit }: HeadProps) {
  const { agentId, kind, name } = place;
  const action = useAction();
  const enabled = members(thing?.value).enabled !== false;
  const lines = partsOf(kind, thing?.value).filter((part) => part.language === "line" && part.text);
  return (
    <header className="studio-head">
      <div className="studio-title">
        <h2>{kind.only ? kind.title : <code>{name}</code>}</h2>
        {thing && thing.version > 0 && <span className="badge studio-badge">version {thing.version}</span>}
        {thing && !enabled && <span className="badge text-bg-secondary">disabled</span>}
        {thing && onEdit && (
          <div className="studio-actions">
            <Press icon="pencil" onPress={onEdit}>
              Edit
            </Press>
            {kind.page.switchable && (
              <Press disabled={action.working} onPress={() => action.run(() => switchTo(place, !enabled))}>
                {enabled ? "Disable" : "Enable"}
              </Press>
            )}
            {!kind.only && <Delete kind={kind} name={name} remove={() => remove(place)} />}
          </div>
        )}
      </div>
      {thing === null && (
        <p className="alert alert-warning">
          {newest
            ? `The ${kind.noun} is deleted. Reverting to one of its versions brings it back.`
            : `No ${kind.noun} has this name.`}
        </p>
      )}
      {lines.map(({ id, label, text }) => (
        <p key={id} className="studio-line">
          {id === "description" ? text : `${label}: ${text}`}
        </p>
      ))}
      {newest && (
        <p className="studio-made">
          {newest.deleted ? "Deleted " : newest.version === 1 ? "Made " : "Changed "}
          <Author agentId={agentId} version={newest} titleOf={titleOf} />
        </p>
      )}
      {newest && <OutsideLine sources={newest.outside ?? []} words="Written with material from" />}
      <Failure failure={action.failure} />
    </header>
  );
}
