/** Prompts of MCP servers as they are looked for by what is typed after a `/`. */
import type { McpPrompt } from "../../../lib/wire";

/** So many are shown; who looks for another types on. */
export const MOST_SHOWN = 50;

/** What is typed after the `/` that the text begins with; null where the text asks for no prompt. */
export function askedFor(text: string): string | null {
  return /^\/\S*$/.test(text) ? text.slice(1).toLowerCase() : null;
}

/** Those that fit: first those whose name begins so, then those that have it in a name, a server or what is said. */
export function fitting(prompts: readonly McpPrompt[], asked: string): McpPrompt[] {
  const ranked = prompts.map((prompt) => ({ prompt, rank: rankOf(prompt, asked) }));
  return ranked
    .filter(({ rank }) => rank < NONE)
    .sort((one, other) => one.rank - other.rank)
    .map(({ prompt }) => prompt);
}

const NONE = 3;

function rankOf({ name, server, title, description }: McpPrompt, asked: string): number {
  const has = (text: string) => text.toLowerCase().includes(asked);
  if (name.toLowerCase().startsWith(asked)) return 0;
  if (has(`${server}/${name}`) || has(title)) return 1;
  return has(description) ? 2 : NONE;
}
