import { useCallback, useState } from "react";
import { Reading } from "../../../../components/Reading";
import { useRead } from "../../../../lib/hooks/useRead";
import { studioHref } from "../../../../lib/route";
import { readEdit } from "../../api/drafts";
import type { StudioState } from "../../api/openStudio";
import { type Place, readThing, type Thing } from "../../api/requests";
import { partsOf } from "../../fold/parts";
import { ABOUT, isText } from "../../fold/sections";
import { isRunnable, tabsOf } from "../../fold/tabs";
import { keyOf } from "../../fold/view";
import { useVersions } from "../versions/useVersions";
import { Versions } from "../versions/Versions";
import { PartView } from "./PartView";
import { PreviewBeside } from "./PreviewBeside";
import { TestRun } from "./TestRun";
import { ThingEditor } from "./ThingEditor";
import { ThingHead } from "./ThingHead";

interface Props {
  place: Place;
  /** Which view of it: `schema`, `versions`, `try`; null and anything else: its main part. */
  shown: string | null;
  state: StudioState;
  titleOf: (sessionId: string) => string | null;
}

/** One thing: what it is, its versions, and what can be done with it. */
export function ThingView({ place, shown, state, titleOf }: Props) {
  const { agentId, section, name } = place;
  const [editing, setEditing] = useState(() => readEdit(place) !== null);
  const revision = `${state.reads} ${state.view.changed[keyOf(section, name)] ?? 0}`;
  // What is in no list is not asked for: it was deleted, or never was.
  const there = isText(section) || Object.hasOwn(state.view.lists[section], name);
  const read = useCallback(
    async (signal: AbortSignal) => ({
      thing: there ? await readThing({ agentId, section, name }, null, signal) : null,
    }),
    [agentId, section, name, there],
  );
  const current = useRead<{ thing: Thing | null }>(read, revision);
  const versions = useVersions(place, revision);
  return (
    <article className="studio-thing" aria-label={isText(section) ? ABOUT[section].title : name}>
      {!isText(section) && (
        <a className="studio-back" href={studioHref(agentId, section)}>
          All {ABOUT[section].title.toLowerCase()}
        </a>
      )}
      <Reading read={current}>
        {({ thing }) => {
          const parts = partsOf(section, thing?.value);
          const tabs = tabsOf(section, thing !== null);
          const chosen = (tabs.find(({ view }) => view === (shown ?? undefined)) ?? tabs[0])?.view;
          const main = parts.find((part) => part.language !== "line");
          const other = parts.find((part) => part !== main && part.id === chosen);
          const inVersions = chosen === "versions";
          const tried = isRunnable(section) ? { agentId, section, name } : null;
          const trying = tried !== null && chosen === "try" && thing !== null;
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
                    {tabs.map(({ view, title }) => (
                      <a
                        key={title}
                        className="studio-view"
                        href={studioHref(agentId, section, name, view)}
                        aria-current={view === chosen ? "page" : undefined}
                      >
                        {title}
                      </a>
                    ))}
                  </nav>
                  {inVersions && <Versions place={place} versions={versions} titleOf={titleOf} />}
                  {trying && <TestRun place={tried} thing={thing} />}
                  {!inVersions && !trying && main && section === "components" && !other && (
                    <PreviewBeside place={place} parts={parts}>
                      <PartView part={main} empty={ABOUT[section].none} />
                    </PreviewBeside>
                  )}
                  {!inVersions && !trying && main && (section !== "components" || other) && (
                    <PartView part={other ?? main} empty={ABOUT[section].none} />
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
