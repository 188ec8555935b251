import "../../models.css";
import { useId, useState } from "react";
import { useAction } from "../../../../lib/hooks/useAction";
import type { ModelTest, Setting } from "../../../../lib/wire";
import { testModel } from "../../api/settings";
import type { Values } from "../../fold/settings";
import { LEVELS, labelOf } from "../../fold/settingWords";
import { Failure } from "../Failure";

/** As many are shown; typing finds the others. */
const SHOWN = 50;

interface Props {
  agentId: string | null;
  settings: readonly Setting[];
  /** What is typed and not saved yet. */
  values: () => Values;
  onChoose: (setting: string, model: string) => void;
}

/** The models that the server has: one is chosen for the model, or for a level. */
export function ServerModels({ agentId, settings, values, onChoose }: Props) {
  const action = useAction();
  const [found, setFound] = useState<ModelTest | null>(null);
  return (
    <section className="server-models" aria-label="Models of the server">
      <button
        type="button"
        className="btn btn-sm btn-outline-primary"
        aria-disabled={action.working}
        onClick={() => action.run(() => testModel(agentId, null, values(), "list"), setFound)}
      >
        {action.working ? "Asking the server…" : "List the server’s models"}
      </button>
      <div role="status" aria-live="polite">
        {found && <p className={found.problem ? "text-problem" : "form-text"}>{foundWords(found)}</p>}
      </div>
      <Failure failure={action.failure} />
      {found?.models?.length ? (
        <Choosing models={found.models} settings={settings} onChoose={onChoose} />
      ) : null}
    </section>
  );
}

function foundWords({ models = [], server, problem }: ModelTest): string {
  if (problem) return problem;
  const who = server ?? "The server";
  if (models.length === 0) return `${who} has no models: load or pull one there.`;
  return `${who} has ${models.length === 1 ? "one model" : `${models.length} models`}.`;
}

interface ChoosingProps {
  models: readonly string[];
  settings: readonly Setting[];
  onChoose: (setting: string, model: string) => void;
}

function Choosing({ models, settings, onChoose }: ChoosingProps) {
  const id = useId();
  const [words, setWords] = useState("");
  const [chosen, setChosen] = useState<string | null>(null);
  const open = LEVELS.flatMap(({ setting }) => settings.filter((one) => one.name === setting && !one.locked));
  const [picked, setPicked] = useState("");
  const field = open.find(({ name }) => name === picked) ?? open[0];
  const wanted = words.trim().toLowerCase();
  const matching = models.filter((one) => one.toLowerCase().includes(wanted));
  if (!field) return <p className="form-text">The environment says which models are used.</p>;
  return (
    <>
      <div className="server-models-find">
        <label htmlFor={`${id}-find`}>Find a model</label>
        <input
          id={`${id}-find`}
          type="search"
          className="form-control form-control-sm"
          autoComplete="off"
          spellCheck={false}
          value={words}
          onChange={(event) => setWords(event.target.value)}
          onKeyDown={(event) => {
            if (event.key === "Enter") event.preventDefault(); // it would save the form
          }}
        />
        <label htmlFor={`${id}-for`}>Choose it for</label>
        <select
          id={`${id}-for`}
          className="form-select form-select-sm"
          value={field.name}
          onChange={(event) => setPicked(event.target.value)}
        >
          {open.map((one) => (
            <option key={one.name} value={one.name}>
              {labelOf(one)}
            </option>
          ))}
        </select>
      </div>
      <ul className="server-models-list" aria-label="Models">
        {matching.slice(0, SHOWN).map((model) => (
          <li key={model}>
            <button
              type="button"
              className="btn btn-sm btn-link"
              aria-label={`Choose ${model}`}
              onClick={() => {
                onChoose(field.name, model);
                setChosen(`${model} stands in “${labelOf(field)}” now. Save models to use it.`);
              }}
            >
              {model}
            </button>
          </li>
        ))}
      </ul>
      <p className="form-text" role="status">
        {chosen ?? moreWords(matching.length)}
      </p>
    </>
  );
}

function moreWords(matching: number): string {
  if (matching === 0) return "No model has these words in its name.";
  return matching > SHOWN ? `The first ${SHOWN} of ${matching}: type to find the others.` : "";
}
