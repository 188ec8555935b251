import { useCallback, useState } from "react";
import { Reading } from "../../../../components/Reading";
import { useRead } from "../../../../lib/hooks/useRead";
import { studioHref } from "../../../../lib/route";
import { readEdit } from "../../api/drafts";
import type { StudioState } from "../../api/openStudio";
import { type Place, readThing, type Thing } from "../../api/requests";
import { partsOf } from "../../fold/parts";
import { ABOUT, isText } from "../../fold/sections";
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
          const main = parts.find((part) => part.language !== "line");
          const others = parts.filter((part) => part !== main && part.language !== "line");
          const other = others.find((part) => part.id === shown);
          const inVersions = shown === "versions" || thing === null;
          const tried = section === "tools" || section === "functions" ? { agentId, section, name } : null;
          const trying = tried !== null && shown === "try" && thing !== null;
          const views = [
            ...(thing && main ? [{ view: undefined, title: main.label }] : []),
            ...(thing ? others.map(({ id, label }) => ({ view: id, title: label })) : []),
            { view: "versions", title: "Versions" },
            ...(thing && tried ? [{ view: "try", title: "Test run" }] : []),
          ];
          const chosen = inVersions ? "versions" : trying ? "try" : other?.id;
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
                    {views.map(({ view, title }) => (
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
