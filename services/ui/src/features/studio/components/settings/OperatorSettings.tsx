import type { Settings } from "../../../../lib/wire";

/** What processes were told when they started: to read, with where each comes from. */
export function OperatorSettings({ settings }: { settings: Settings["operator"] }) {
  if (settings.length === 0) return null;
  return (
    <details className="settings-operator">
      <summary>Settings of the operator ({settings.length}), which a restart changes</summary>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls */}
      <section className="settings-table" aria-label="Settings of the operator" tabIndex={0}>
        <table className="table table-sm">
          <thead>
            <tr>
              {["Setting", "Value", "From", "Meaning"].map((heading) => (
                <th key={heading} scope="col">
                  {heading}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {settings.map(({ variable, value, source, meaning }) => (
              <tr key={variable}>
                <th scope="row">
                  <code>{variable}</code>
                </th>
                <td>{value}</td>
                <td>{source}</td>
                <td>{meaning}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </section>
    </details>
  );
}
