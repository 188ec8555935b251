import { Icon } from "../../../components/Icon";
import type { AgentMoment } from "../../../lib/wire";
import { differenceWords, different, differs } from "../fold/moment";
import "../since.css";

interface Props {
  moment: AgentMoment;
  onChoose: (tab: string) => void;
}

/** What of the agent is different now, at a glance: each kind leads to its things. */
export function SinceThen({ moment, onChoose }: Props) {
  const found = different(moment);
  if (found.length === 0) return <p className="since-then">The agent is now as it was then.</p>;
  return (
    <p className="since-then">
      <Icon name="delta" size={10} /> Different now:
      {found.map((tab) => (
        <button
          type="button"
          key={tab.id}
          className="btn btn-sm btn-link"
          title={differenceWords(tab) || "Written to since"}
          onClick={() => onChoose(tab.id)}
        >
          {tab.words}
          {differs(tab) > 1 && ` (${differs(tab)})`}
        </button>
      ))}
    </p>
  );
}
