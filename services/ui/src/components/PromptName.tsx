import type { ChosenPrompt } from "../lib/wire";
import { Icon } from "./Icon";

/** Which prompt it is, and whose. What was put in is told on hovering. */
export function PromptName({ prompt: { server, name, arguments: given } }: { prompt: ChosenPrompt }) {
  const told = Object.entries(given ?? {}).map(([argument, value]) => `${argument}: ${value}`);
  return (
    <span title={told.join("\n") || undefined}>
      <Icon name="broadcast" size={13} /> Prompt <code>{name}</code> of {server}
    </span>
  );
}
