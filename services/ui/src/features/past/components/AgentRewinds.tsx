import { type FormEvent, useCallback, useId, useState } from "react";
import { Reading } from "../../../components/Reading";
import { useRead } from "../../../lib/hooks/useRead";
import { kindWords } from "../../../lib/kinds";
import { useLatest } from "../../../lib/live/useLatest";
import type { Rewinding } from "../../../lib/rewinding";
import type { AgentRewound } from "../../../lib/wire";
import { count, fullTime } from "../../../lib/words";
import { readRewinds } from "../api/requests";
import { Field } from "./Field";

/** Takes the agent back to any event, and what was taken back lately. */
export function AgentRewinds({ agentId, rewinding }: { agentId: string; rewinding: Rewinding }) {
  const [to, setTo] = useState("");
  const id = useId();
  const latest = useLatest(agentId, "rewind");
  const read = useRead(
    useCallback((signal) => readRewinds(agentId, signal), [agentId]),
    latest,
  );
  const event = /^[1-9]\d{0,14}$/.test(to.trim()) ? Number(to.trim()) : null;

  function submit(submitted: FormEvent) {
    submitted.preventDefault();
    if (event !== null) rewinding.rewindAgent({ agentId, to: event });
  }

  return (
    <section aria-labelledby={`${id}-rewinds`}>
      <h2 className="fs-5" id={`${id}-rewinds`}>
        Rewind the agent
      </h2>
      <p className="text-body-secondary">
        Everything that anybody changed since goes back. You see what that is first. In a chat's history, any
        event can be chosen.
      </p>
      <form className="past-rewind" onSubmit={submit}>
        <Field label="As it was after event" value={to} onChange={setTo} />
        <button type="submit" className="btn btn-outline-secondary" disabled={event === null}>
          Preview…
        </button>
      </form>
      <Reading read={read}>
        {(rewinds) =>
          rewinds.length > 0 && (
            <ul className="past-rewinds" aria-label="Rewinds">
              {rewinds.map((one) => (
                <li key={one.id}>
                  <span>
                    To event {one.to}, {fullTime(one.rewound_at)}: {done(one)}
                  </span>{" "}
                  <button
                    type="button"
                    className="btn btn-sm btn-outline-secondary"
                    onClick={() =>
                      rewinding.rewindAgent({
                        agentId,
                        to: one.sequence,
                        undoes: { kinds: Object.keys(one.rewound) },
                      })
                    }
                  >
                    Undo…
                  </button>
                </li>
              ))}
            </ul>
          )
        }
      </Reading>
    </section>
  );
}

function done({ done, rewound }: AgentRewound): string {
  if (!done) return "it resumes automatically";
  const said = Object.entries(rewound).map(([kind, number]) => `${kindWords(kind)} ${count(number)}`);
  return said.join(", ") || "nothing had to go back";
}
