import type { TriedModel } from "../lib/wire";

/** The models and keys of a chain that gave no answer, and why. */
export function TriedModels({ tried }: { tried: readonly TriedModel[] }) {
  return (
    <ul className="tried-models" aria-label="Asked before">
      {tried.map(({ model, key, keys, message }) => (
        <li key={`${model} ${key}`}>
          {model}
          {keys ? ` (key ${key} of ${keys})` : ""}: {message}
        </li>
      ))}
    </ul>
  );
}
