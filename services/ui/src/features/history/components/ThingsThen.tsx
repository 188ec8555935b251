import { useCallback, useState } from "react";
import { Diff } from "../../../components/Diff";
import { CodeBlock } from "../../../components/markdown/CodeBlock";
import { Reading } from "../../../components/Reading";
import { contentHref } from "../../../lib/files";
import { useRead } from "../../../lib/hooks/useRead";
import { kindNamed, kindWords, textOfThing, thingWords } from "../../../lib/kinds";
import type { KindThen, ThingThen } from "../../../lib/wire";
import { count } from "../../../lib/words";
import { readThing } from "../api/requests";

const SINCE = { changed: "changed since", added: "not there yet", removed: "removed since" };
const SIGNS = { changed: "~", added: "+", removed: "−" };

interface Props {
  agentId: string;
  at: number;
  /** Nothing is different now: it is now. */
  now: boolean;
  kind: KindThen;
}

/** The things of one kind as they were, those first that are different now. */
export function ThingsThen({ agentId, at, now, kind }: Props) {
  const known = kindNamed(kind.kind);
  // An agent has its one even where nobody wrote it; a chat has one if it wrote it.
  const only = known?.only === "agent";
  const ofChat = known?.only === "chat";
  const things: ThingThen[] =
    kind.things.length === 0 && only
      ? [{ name: kind.kind, label: kind.kind, address: null, since: null }]
      : kind.things;
  const left = Math.max(kind.count, kind.changes) - kind.things.length;
  return (
    <section aria-label={kindWords(kind.kind)}>
      {only && <h2 className="things-head">{thingWords(kind.kind, "")}</h2>}
      {ofChat && things.length > 0 && <h2 className="things-head">{kindWords(kind.kind)} of this chat</h2>}
      {things.length === 0 && !ofChat && (
        <p className="text-body-secondary">
          {now ? "There is nothing of this kind." : "There was nothing of this kind then."}
        </p>
      )}
      {things.map((thing, index) => (
        <Thing
          key={thing.name}
          agentId={agentId}
          at={at}
          kind={kind.kind}
          thing={thing}
          first={only || ofChat || (index === 0 && thing.since !== null)}
        />
      ))}
      {left > 0 && <p className="side-note">{count(left)} more are not listed here.</p>}
    </section>
  );
}

interface ThingProps {
  agentId: string;
  at: number;
  kind: string;
  thing: ThingThen;
  first: boolean;
}

function Thing({ agentId, at, kind, thing, first }: ThingProps) {
  const [open, setOpen] = useState(first);
  const { label, since } = thing;
  return (
    <details className="thing" open={open} onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary>
        <span className={`thing-sign ${since ? "is-different" : ""}`} aria-hidden="true">
          {since ? SIGNS[since] : "="}
        </span>
        <span className="thing-name">{label}</span>
        <span className="thing-since">{since ? SINCE[since] : "the same now"}</span>
      </summary>
      {open && <Versions key={at} agentId={agentId} at={at} kind={kind} thing={thing} />}
    </details>
  );
}

function Versions({ agentId, at, kind, thing }: Omit<ThingProps, "first">) {
  const { name, label } = thing;
  const read = useRead(
    useCallback((signal) => readThing(agentId, { kind, name }, at, signal), [agentId, kind, name, at]),
  );
  const words = thingWords(kind, label);
  return (
    <Reading read={read}>
      {({ after: then, now }) => {
        const past = then === null ? "" : textOfThing(then.value);
        const present = now === null ? "" : textOfThing(now.value);
        return (
          <div className="thing-body">
            {past === present ? (
              past ? (
                <CodeBlock label={words}>{past}</CodeBlock>
              ) : (
                <p className="text-body-secondary">It is empty.</p>
              )
            ) : (
              <Diff before={past} after={present} label={`${words}: then and now`} />
            )}
            {past !== present && past && (
              <details className="thing-whole">
                <summary>All of it, as it was then</summary>
                <CodeBlock label={`${words}: then`}>{past}</CodeBlock>
              </details>
            )}
            {kind === "file" && then !== null && (
              <a className="btn btn-sm btn-outline-secondary" href={contentHref(name, then.version)} download>
                Download it as it was
              </a>
            )}
          </div>
        );
      }}
    </Reading>
  );
}
