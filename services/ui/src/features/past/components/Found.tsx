import { useCallback } from "react";
import { Diff } from "../../../components/Diff";
import { Reading } from "../../../components/Reading";
import { useAction } from "../../../lib/hooks/useAction";
import { useRead } from "../../../lib/hooks/useRead";
import { textOfThing, thingWords } from "../../../lib/kinds";
import { messageOf } from "../../../lib/problems";
import type { Rewinding } from "../../../lib/rewinding";
import { chatHref, historyHref } from "../../../lib/route";
import type { BisectionShown } from "../../../lib/wire";
import { count, fullTime } from "../../../lib/words";
import { readChange, stopBisect } from "../api/requests";
import { decided, isAtWork, outcomeWords } from "../fold/bisection";

interface Props {
  agentId: string;
  found: BisectionShown;
  rewinding: Rewinding;
  onChange: () => void;
}

/** A bisection: how far it is, what it found, and its probes. */
export function Found({ agentId, found, rewinding, onChange }: Props) {
  const stopping = useAction();
  const works = isAtWork(found);
  const words = outcomeWords(found);
  const { ask, function: called } = found.check as { ask?: string; function?: string };
  return (
    <div className="past-found">
      <p className="past-asked">{ask ?? `Function ${called}`}</p>
      {works && (
        <div className="past-works">
          <p role="status">
            Searching among {count(found.events)} events: {decided(found)} of at most {found.most_probes}{" "}
            probes.
          </p>
          <progress
            className="past-progress"
            aria-label="Probes that are done"
            max={found.most_probes}
            value={decided(found)}
          />
          <button
            type="button"
            className="btn btn-sm btn-outline-danger"
            disabled={stopping.working || found.status === "stopping"}
            onClick={() => stopping.run(() => stopBisect(agentId), onChange)}
          >
            {stopping.working ? "Stopping…" : "Stop"}
          </button>
        </div>
      )}
      {stopping.failure !== null && (
        <div className="alert alert-danger" role="alert">
          {messageOf(stopping.failure)}
        </div>
      )}
      {words && (
        <p role="status" className={found.status === "failed" ? "alert alert-danger" : ""}>
          {words}
        </p>
      )}
      {found.spoilt_by && <Spoilt agentId={agentId} spoilt={found.spoilt_by} rewinding={rewinding} />}
      {found.probes.length > 0 && (
        <details>
          <summary>
            {found.probes.length === 1 ? "1 probe" : `${found.probes.length} probes`}, {count(found.tokens)}{" "}
            tokens
          </summary>
          <ol className="past-probes">
            {found.probes.map((probe) => (
              <li key={probe.as_of_sequence}>
                After event {probe.as_of_sequence}:{" "}
                {probe.holds === null ? "open" : probe.holds ? "holds" : "fails"}
                <ul>
                  {probe.runs.map((run, index) => (
                    // biome-ignore lint/suspicious/noArrayIndexKey: runs have no other name, and never move
                    <li key={index}>
                      {run.holds ? "✓" : "✗"}{" "}
                      {run.session_id === null ? (
                        run.answer
                      ) : (
                        <a href={chatHref(run.session_id)}>{run.answer.slice(0, 120) || "no answer"}</a>
                      )}
                    </li>
                  ))}
                </ul>
              </li>
            ))}
          </ol>
        </details>
      )}
    </div>
  );
}

interface SpoiltProps {
  agentId: string;
  spoilt: NonNullable<BisectionShown["spoilt_by"]>;
  rewinding: Rewinding;
}

function Spoilt({ agentId, spoilt, rewinding }: SpoiltProps) {
  const { kind, name, sequence, session_id: sessionId, deleted, written_at: time } = spoilt;
  const words = thingWords(kind, name);
  const to = sequence - 1;
  return (
    <div className="past-spoilt" role="status">
      <p>
        <strong>It fails from event {sequence}.</strong> {sessionId === null ? "A person" : "A chat"}{" "}
        {deleted ? "deleted" : "changed"} {words}, {fullTime(time)}.{" "}
        {sessionId !== null && <a href={historyHref(sessionId, undefined)}>The chat's history</a>}
      </p>
      {kind !== "database" && <Change agentId={agentId} thing={spoilt} words={words} />}
      <div className="past-buttons">
        <button
          type="button"
          className="btn btn-primary"
          onClick={() => rewinding.rewindAgent({ agentId, to, only: { kind, name } })}
        >
          Take this back…
        </button>
        <button
          type="button"
          className="btn btn-outline-secondary"
          onClick={() => rewinding.rewindAgent({ agentId, to })}
        >
          Rewind the agent to before it…
        </button>
      </div>
    </div>
  );
}

function Change({ agentId, thing, words }: { agentId: string; thing: SpoiltProps["spoilt"]; words: string }) {
  const { kind, name, sequence } = thing;
  const read = useRead(
    useCallback(
      (signal) => readChange(agentId, { kind, name, sequence }, signal),
      [agentId, kind, name, sequence],
    ),
  );
  return (
    <Reading read={read}>
      {({ before, after }) => (
        <Diff
          before={before === null ? "" : textOfThing(before.value)}
          after={after === null ? "" : textOfThing(after.value)}
          label={`${words}: before and after`}
        />
      )}
    </Reading>
  );
}
