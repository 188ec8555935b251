/** The versions of a thing of any kind: who made which, what differs between any two, and the way back to one. */
import { useCallback, useId, useState } from "react";
import { Diff } from "../../../../components/Diff";
import { Icon } from "../../../../components/Icon";
import { OutsideLine } from "../../../../components/OutsideLine";
import { Reading } from "../../../../components/Reading";
import { address } from "../../../../lib/api";
import { useAction } from "../../../../lib/hooks/useAction";
import { type Read, useRead } from "../../../../lib/hooks/useRead";
import { chatHref, historyHref } from "../../../../lib/route";
import type { Version } from "../../../../lib/wire";
import { fullTime } from "../../../../lib/words";
import { INSTALLATION, type Place, readThing, readVersions, revert } from "../../api/things";
import { differences } from "../../fold/parts";
import { by, chosenPair, type Pair, revertible, versionName } from "../../fold/view";
import { Failure, Press, Select, type TitleOf } from "../controls";
import { whenWords } from "../rows";

export interface VersionList {
  /** Newest first. */
  read: Read<{ versions: readonly Version[]; more: boolean }>;
  showOlder: () => void;
}

/** A thing's versions, page by page, read again with another `revision`. */
export function useVersions({ agentId, kind, name }: Place, revision: unknown): VersionList {
  const [wanted, setWanted] = useState({ pages: 1 });
  const read = useCallback(
    async (signal: AbortSignal) => {
      const versions: Version[] = [];
      let cursor: string | null = null;
      for (let page = 0; page < wanted.pages; page += 1) {
        const found = await readVersions({ agentId, kind, name }, cursor, signal);
        versions.push(...found.items);
        cursor = found.next_cursor;
        if (cursor === null) break;
      }
      return { versions, more: cursor !== null };
    },
    [agentId, kind, name, wanted],
  );
  return {
    read: useRead(read, revision),
    showOlder: () => setWanted(({ pages }) => ({ pages: pages + 1 })),
  };
}

interface Props {
  place: Place;
  versions: VersionList;
  titleOf: TitleOf;
  /** Nobody can change it here. */
  locked?: boolean;
  onReverted?: () => void;
}

/** All versions of a thing. Of a kind without parts they aren't compared. */
export function Versions({ place, versions, titleOf, locked = false, onReverted }: Props) {
  const { agentId, kind } = place;
  const [pair, setPair] = useState<Partial<Pair>>({});
  const [done, setDone] = useState("");
  const action = useAction();
  const compared = kind.page.parts.length > 0;

  function goBack(version: Version) {
    setDone("");
    action.run(
      () => revert(place, version.sequence),
      ({ version: made }) => {
        setPair({});
        if (compared) setDone(`Version ${made} restores version ${version.version}.`);
        onReverted?.();
      },
    );
  }

  return (
    <Reading read={versions.read}>
      {({ versions: found, more }) =>
        found.length === 0 ? (
          <p className="text-body-secondary">{kind.only ? kind.page.none : "No versions yet."}</p>
        ) : (
          <>
            {compared && (
              <Comparison place={place} versions={found} pair={chosenPair(found, pair)} onPair={setPair} />
            )}
            <Failure failure={action.failure} />
            {compared && (
              <>
                <p className="studio-done" role="status">
                  {done}
                </p>
                <h3 className="studio-subtitle">All versions</h3>
              </>
            )}
            <ol className="studio-versions" reversed>
              {found.map((version, index) => (
                <li key={version.sequence} className="studio-version">
                  <span className="studio-version-what">
                    <strong>{version.deleted ? "Deleted" : `Version ${version.version}`}</strong>
                    {index === 0 && <span className="badge studio-badge">now</span>}
                    <Author agentId={agentId} version={version} titleOf={titleOf} />
                    <OutsideLine sources={version.outside ?? []} words="With material from" />
                  </span>
                  <span className="studio-version-actions">
                    {compared && index + 1 < found.length && (
                      <Press
                        look="btn-link"
                        of={`at event ${version.sequence}`}
                        onPress={() => setPair({ to: version.sequence })}
                      >
                        What changed
                      </Press>
                    )}
                    {revertible(found, index) && !locked && (
                      <Press
                        look="btn-outline-primary"
                        of={`of event ${version.sequence}`}
                        disabled={action.working}
                        onPress={() => goBack(version)}
                      >
                        Revert to {version.version}
                      </Press>
                    )}
                  </span>
                </li>
              ))}
            </ol>
            {more && (
              <Press look="btn-link" onPress={versions.showOlder}>
                Show older versions
              </Press>
            )}
          </>
        )
      }
    </Reading>
  );
}

interface SectionProps extends Omit<Props, "versions"> {
  revision: unknown;
  label?: string;
  /** Of the heading; null: there is none. */
  level?: "h2" | "h3" | null;
}

/** The versions of a thing below what else is known of it. */
export function VersionSection({ revision, label = "Versions", level: Level = "h3", ...rest }: SectionProps) {
  const versions = useVersions(rest.place, revision);
  return (
    <section aria-label={label}>
      {Level && <Level className="studio-subtitle">Versions</Level>}
      <Versions versions={versions} {...rest} />
    </section>
  );
}

/** Who made a version and when, and the ways to where that was: the chat, the call, the event. */
export function Author({
  agentId,
  version,
  titleOf,
}: {
  agentId: string;
  version: Version;
  titleOf: TitleOf;
}) {
  const { written_at: time, actor, session_id: sessionId, causation, sequence } = version;
  return (
    <span className="studio-author">
      by {by(actor)}
      {sessionId && (
        <>
          {" in "}
          <a href={chatHref(sessionId)}>{titleOf(sessionId) ?? "a chat"}</a>
        </>
      )}
      ,{" "}
      <time dateTime={time} title={fullTime(time)}>
        {whenWords(time)}
      </time>
      {sessionId && (
        <>
          {" · "}
          <a href={historyHref(sessionId, causation ?? sequence)}>
            the call<span className="visually-hidden"> of event {sequence}</span>
          </a>
        </>
      )}
      {agentId !== INSTALLATION && (
        <>
          {" · "}
          <a href={address(`/agents/${agentId}/events/${sequence}`)} target="_blank" rel="noreferrer">
            raw event<span className="visually-hidden"> {sequence}</span> <Icon name="external" size={12} />
          </a>
        </>
      )}
    </span>
  );
}

interface ComparisonProps {
  place: Place;
  versions: readonly Version[];
  pair: Pair;
  onPair: (pair: Pair) => void;
}

/** What is different between two versions, part by part. */
function Comparison({ place, versions, pair, onPair }: ComparisonProps) {
  const { agentId, kind, name } = place;
  const { from, to } = pair;
  const id = useId();
  const gone = versions
    .filter(({ deleted, sequence }) => deleted && (sequence === from || sequence === to))
    .map(({ sequence }) => sequence)
    .join(" ");
  const read = useRead(
    useCallback(
      async (signal: AbortSignal) => {
        const deleted = gone.split(" ").map(Number);
        const at = (sequence: number) =>
          deleted.includes(sequence) ? null : readThing({ agentId, kind, name }, sequence, signal);
        const [before, after] = await Promise.all([at(from), at(to)]);
        return differences(kind, before?.value, after?.value);
      },
      [agentId, kind, name, from, to, gone],
    ),
  );
  return (
    <section aria-label="Compare versions">
      <div className="studio-compare">
        {(["From", "To"] as const).map((end) => (
          <div key={end}>
            <label htmlFor={id + end}>{end}</label>
            <Select
              id={id + end}
              value={String(end === "From" ? from : to)}
              words={versions.map((one) => [String(one.sequence), versionName(one)] as const)}
              onChoose={(chosen) =>
                onPair(end === "From" ? { from: Number(chosen), to } : { from, to: Number(chosen) })
              }
            />
          </div>
        ))}
      </div>
      <Reading read={read}>
        {(found) =>
          found.length ? (
            found.map(({ label, before, after }) => (
              <div key={label} className="studio-difference">
                <h3 className="studio-subtitle">{label}</h3>
                <Diff before={before} after={after} label={`Changes of ${label.toLowerCase()}`} />
              </div>
            ))
          ) : (
            <p className="text-body-secondary small">
              {versions.length === 1 ? "It is the first version." : "No difference."}
            </p>
          )
        }
      </Reading>
    </section>
  );
}
