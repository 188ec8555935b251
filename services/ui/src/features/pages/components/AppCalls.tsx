import type { Made } from "./useAppCalls";

/** What an app called, newest last, for the person before it. */
export function AppCalls({ made: { times, failed, latest } }: { made: Made }) {
  if (times === 0) return null;
  return (
    <details className="message-foot">
      <summary>
        The app called {times === 1 ? "a tool" : `tools ${times} times`}
        {failed > 0 && `, ${failed} failed`}
      </summary>
      <ul>
        {latest.map(({ key, tool, args, failure }) => (
          <li key={key}>
            <code>
              {tool} {JSON.stringify(args).slice(0, 500)}
            </code>{" "}
            {failure ?? "gave its result"}
          </li>
        ))}
      </ul>
    </details>
  );
}
