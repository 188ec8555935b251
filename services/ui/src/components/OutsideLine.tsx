import { useState } from "react";
import { placeOf } from "../lib/address";
import { type OutsideSource, sourceWords } from "../lib/outside";
import { historyHref } from "../lib/route";

const SHOWN = 5;

interface Props {
  sources: readonly OutsideSource[];
  /** What is said before them. */
  words?: string;
  className?: string;
}

/** Where material from outside came from, each with a link to the event by which it came; nothing if from nowhere. */
export function OutsideLine({ sources, words = "Material from", className = "" }: Props) {
  const [all, showAll] = useState(false);
  if (sources.length === 0) return null;
  const shown = all ? sources : sources.slice(0, SHOWN);
  return (
    <span className={`outside-line ${className}`}>
      {words}{" "}
      {shown.map((source, index) => (
        <span key={`${source.kind} ${source.name}`}>
          {index > 0 && ", "}
          <SourceName source={source} />
        </span>
      ))}
      {shown.length < sources.length && (
        <>
          {" "}
          <button
            type="button"
            className="btn btn-link btn-sm p-0 align-baseline"
            onClick={() => showAll(true)}
          >
            and {sources.length - shown.length} more
          </button>
        </>
      )}
    </span>
  );
}

function SourceName({ source }: { source: OutsideSource }) {
  const said = sourceWords(source);
  const { first_address: place, session_id: session } = source;
  if (place === null || session === null) return <bdi>{said}</bdi>;
  return (
    <a href={historyHref(session, placeOf(place))}>
      <bdi>{said}</bdi>
    </a>
  );
}
