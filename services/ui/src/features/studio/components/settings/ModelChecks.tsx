import "../../models.css";
import type { ModelTest } from "../../../../lib/wire";

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
