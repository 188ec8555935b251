import { useCallback, useState } from "react";
import { useAction } from "../../../../lib/hooks/useAction";
import { useRead } from "../../../../lib/hooks/useRead";
import { readAdaptations, resetAdaptations } from "../../api/settings";
import { Failure } from "../Failure";

/** What is changed in requests to models, since their servers refused them: with how it was learned. */
export function AdaptedModels() {
  const [changed, setChanged] = useState(0);
  const read = useRead(
    useCallback((signal: AbortSignal) => readAdaptations(signal), []),
    String(changed),
  );
  const action = useAction();
  const models = read.value?.models ?? [];
  if (models.length === 0) return null;
  const reset = (name: string | null, label: string | null) =>
    action.run(
      () => resetAdaptations(name, label),
      () => setChanged((before) => before + 1),
    );
  return (
    <section className="settings-adapted" aria-label="Learned of models">
      <h3>Learned of models</h3>
      <p className="text-body-secondary">
        These servers refused a request and took it in another form. A reset makes the next request the usual
        one again.
      </p>
      {models.map(({ name, model, server, adaptations }) => (
        <div key={name}>
          <h4>
            {model} <small className="text-body-secondary">{server}</small>
          </h4>
          <ul>
            {adaptations.map(({ label, meaning, said, learned_at }) => (
              <li key={label}>
                {meaning}{" "}
                <small className="text-body-secondary">
                  {new Date(learned_at).toLocaleDateString()}: “{said}”
                </small>{" "}
                <button
                  type="button"
                  className="btn btn-sm btn-outline-secondary"
                  disabled={action.working}
                  aria-label={`Reset for ${model}: ${meaning}`}
                  onClick={() => reset(name, label)}
                >
                  Reset
                </button>
              </li>
            ))}
          </ul>
        </div>
      ))}
      <button
        type="button"
        className="btn btn-sm btn-outline-secondary"
        disabled={action.working}
        onClick={() => reset(null, null)}
      >
        Reset all
      </button>
      <Failure failure={action.failure} />
    </section>
  );
}
