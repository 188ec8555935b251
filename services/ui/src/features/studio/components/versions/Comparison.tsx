import { useCallback, useId } from "react";
import { Diff } from "../../../../components/Diff";
import { Reading } from "../../../../components/Reading";
import { useRead } from "../../../../lib/hooks/useRead";
import type { Version } from "../../../../lib/wire";
import { type Place, readThing } from "../../api/requests";
import { differences } from "../../fold/parts";
import type { Pair } from "../../fold/versions";
import { versionName } from "../../fold/words";

interface Props {
  place: Place;
  versions: readonly Version[];
  pair: Pair;
  onPair: (pair: Pair) => void;
}

/** What is different between two versions, part by part. */
export function Comparison({ place, versions, pair, onPair }: Props) {
  const { agentId, section, name } = place;
  const { from, to } = pair;
  const deletions = versions.filter((one) => one.deleted).map((one) => one.sequence);
  const gone = deletions.filter((one) => one === from || one === to).join(" ");
  const read = useRead(
    useCallback(
      async (signal: AbortSignal) => {
        const deleted = gone.split(" ").map(Number);
        const at = (sequence: number) =>
          deleted.includes(sequence) ? null : readThing({ agentId, section, name }, sequence, signal);
        const [before, after] = await Promise.all([at(from), at(to)]);
        return differences(section, before?.value, after?.value);
      },
      [agentId, section, name, from, to, gone],
    ),
  );
  return (
    <section aria-label="Compare versions">
      <div className="studio-compare">
        <VersionChoice
          label="From"
          versions={versions}
          chosen={from}
          onChoose={(chosen) => onPair({ from: chosen, to })}
        />
        <VersionChoice
          label="To"
          versions={versions}
          chosen={to}
          onChoose={(chosen) => onPair({ from, to: chosen })}
        />
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

interface ChoiceProps {
  label: string;
  versions: readonly Version[];
  chosen: number;
  onChoose: (sequence: number) => void;
}

function VersionChoice({ label, versions, chosen, onChoose }: ChoiceProps) {
  const id = useId();
  return (
    <div>
      <label htmlFor={id}>{label}</label>
      <select
        id={id}
        className="form-select form-select-sm"
        value={chosen}
        onChange={(event) => onChoose(Number(event.target.value))}
      >
        {versions.map((version) => (
          <option key={version.sequence} value={version.sequence}>
            {versionName(version)}
          </option>
        ))}
      </select>
    </div>
  );
}
