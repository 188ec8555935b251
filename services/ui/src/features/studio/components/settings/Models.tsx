/** Models as a person sets them: tests, what their servers have, and what was learned of them. */
import { useId, useState } from "react";
import { useAction } from "../../../../lib/hooks/useAction";
import { useRead } from "../../../../lib/hooks/useRead";
import type { ModelTest, Setting } from "../../../../lib/wire";
import { count, money } from "../../../../lib/words";
import { readAdaptations, resetAdaptations, type TestWants, testModel } from "../../api/settings";
import type { Values } from "../../fold/settings";
import { LEVELS, type Level, labelOf } from "../../fold/settingWords";
import { Failure, Press, Select } from "../controls";
import "../../models.css";

interface TryProps {
  agentId: string | null;
  level: Level;
  /** What the button's model is called. */
  label: string;
  /** What is typed and not saved yet. */
  values: () => Values;
  onTested: (test: ModelTest | { failure: unknown }) => void;
}

const BUTTONS = [
  { wants: "answer", words: "Test", working: "Testing…" },
  { wants: "checks", words: "Check", working: "Checking…" },
] as const;

/** Asks the model with what is typed, saved or not: once, or until it is known what it can do. */
export function ModelTry({ agentId, level, label, values, onTested }: TryProps) {
  const action = useAction();
  const [wanted, setWanted] = useState<TestWants>("answer");
  return BUTTONS.map(({ wants, words, working }) => (
    <Press
      key={wants}
      look="btn-outline-primary"
      aria-disabled={action.working}
      aria-label={`${words} ${label}`}
      onPress={() => {
        setWanted(wants);
        action.run(
          () => testModel(agentId, level, values(), wants),
          onTested,
          (failure) => onTested({ failure }),
        );
      }}
    >
      {action.working && wanted === wants ? working : words}
    </Press>
  ));
}

/** What came of it, in a sentence. */
export function testWords(test: ModelTest): string {
  const { ok, model, said, problem, ms, tokens, cost_micros, small_since: small } = test;
  if (!ok) return problem ?? "The test failed.";
  const cost = cost_micros === null ? "" : `, ${money(cost_micros, true)}`;
  const took = `${(ms / 1000).toFixed(1)} s${tokens === null ? "" : `, ${count(tokens)} tokens`}${cost}`;
  const preset = small ? ` It gets a short prompt and few tools, since ${small}.` : "";
  return `${model} answers (${took}): “${said ?? ""}”${preset}`;
}

type Checked = NonNullable<ModelTest["checks"]>[number];

/** What a model was found to be able to do, and whether an agent can work with it. */
export function ModelChecks({ test }: { test: ModelTest }) {
  const { ok, model, server, checks = [] } = test;
  const where = server ? ` at ${server}` : "";
  return (
    <section className="model-checks" aria-label={`Checks of ${model}`}>
      <p className={`alert ${ok ? "alert-success" : "alert-danger"}`}>
        {ok
          ? `${model}${where} has all that an agent needs.`
          : `${model}${where} lacks something that an agent needs.`}
      </p>
      <table className="table table-sm">
        <thead>
          <tr>
            <th scope="col">Check</th>
            <th scope="col">Result</th>
            <th scope="col">What it did</th>
          </tr>
        </thead>
        <tbody>
          {checks.map((one) => (
            <tr key={one.name}>
              <th scope="row">
                {one.name}
                {one.needed && <small className="text-body-secondary"> needed</small>}
              </th>
              <td className={one.ok === false && one.needed ? "text-problem" : undefined}>
                {resultWords(one)}
              </td>
              <td>{one.words}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}

function resultWords({ ok }: Checked): string {
  if (ok === null) return "? unknown";
  return ok ? "✓ yes" : "✗ no";
}

/** As many are shown; typing finds the others. */
const SHOWN = 50;

interface ListProps {
  agentId: string | null;
  settings: readonly Setting[];
  /** What is typed and not saved yet. */
  values: () => Values;
  onChoose: (setting: string, model: string) => void;
}

/** The models that the server has: one is chosen for the model, or for a level. */
export function ServerModels({ agentId, settings, values, onChoose }: ListProps) {
  const action = useAction();
  const [found, setFound] = useState<ModelTest | null>(null);
  return (
    <section className="server-models" aria-label="Models of the server">
      <Press
        look="btn-outline-primary"
        aria-disabled={action.working}
        onPress={() => action.run(() => testModel(agentId, null, values(), "list"), setFound)}
      >
        {action.working ? "Asking the server…" : "List the server’s models"}
      </Press>
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

type ChoosingProps = Pick<ListProps, "settings" | "onChoose"> & { models: readonly string[] };

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
        <Select
          id={`${id}-for`}
          value={field.name}
          words={open.map((one) => [one.name, labelOf(one)] as const)}
          onChoose={setPicked}
        />
      </div>
      <ul className="server-models-list" aria-label="Models">
        {matching.slice(0, SHOWN).map((model) => (
          <li key={model}>
            <Press
              look="btn-link"
              aria-label={`Choose ${model}`}
              onPress={() => {
                onChoose(field.name, model);
                setChosen(`${model} stands in “${labelOf(field)}” now. Save models to use it.`);
              }}
            >
              {model}
            </Press>
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

/** What is changed in requests to models, since their servers refused them: with how it was learned. */
export function AdaptedModels() {
  const read = useRead(readAdaptations);
  const action = useAction();
  const models = read.value?.items ?? [];
  if (models.length === 0) return null;
  const reset = (name: string | null, label: string | null) =>
    action.run(() => resetAdaptations(name, label), read.again);
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
                <Press
                  disabled={action.working}
                  aria-label={`Reset for ${model}: ${meaning}`}
                  onPress={() => reset(name, label)}
                >
                  Reset
                </Press>
              </li>
            ))}
          </ul>
        </div>
      ))}
      <Press disabled={action.working} onPress={() => reset(null, null)}>
        Reset all
      </Press>
      <Failure failure={action.failure} />
    </section>
  );
}
