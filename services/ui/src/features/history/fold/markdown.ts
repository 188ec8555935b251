/** A chat as a Markdown document. */
import { pretty } from "../../../lib/jsonText";
import { callWords } from "../../../lib/toolWords";
import type { Message } from "../../../lib/wire";

export function transcript(title: string, messages: readonly Message[]): string {
  const said = messages.filter(({ hidden_by }) => hidden_by === null).flatMap(section);
  return `${[`# ${title}`, ...said].join("\n\n")}\n`;
}

function section({ role, text, tool_calls }: Message): string[] {
  const who = role === "user" ? "You" : role === "assistant" ? "Agent" : "Summary";
  const calls = (tool_calls ?? []).map(
    (call) =>
      `<details>\n<summary>${escaped(callWords(call.tool, call.arguments))}</summary>\n\n${fenced(pretty(call.arguments))}\n\n${fenced(pretty(call.error ?? call.result ?? ""))}\n\n</details>`,
  );
  return [`## ${who}`, ...(text.trim() ? [text.trim()] : []), ...calls];
}

/** In a fence that the text itself can't close. */
function fenced(text: string): string {
  const longest = Math.max(2, ...[...text.matchAll(/`+/g)].map(([ticks]) => ticks.length));
  const fence = "`".repeat(longest + 1);
  return `${fence}\n${text}\n${fence}`;
}

function escaped(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;");
}
