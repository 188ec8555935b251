/** A chat as a Markdown document. */
import { pretty } from "../../../lib/jsonText";
import { endingOf, oneLine, outcomeWords } from "../../../lib/toolWords";
import type { Message, ToolCall } from "../../../lib/wire";

export function transcript(title: string, messages: readonly Message[]): string {
  const said = messages.filter(({ hidden_by }) => hidden_by === null).flatMap(section);
  return `${[`# ${title}`, ...said].join("\n\n")}\n`;
}

function section({ role, text, tool_calls }: Message): string[] {
  const who = role === "user" ? "You" : role === "assistant" ? "Agent" : "Summary";
  const calls = (tool_calls ?? []).map(
    (call) =>
      `<details>\n<summary>${escaped(summaryOf(call))}</summary>\n\n${fenced(pretty(call.arguments))}\n\n${fenced(pretty(call.error ?? call.result ?? ""))}\n\n</details>`,
  );
  return [`## ${who}`, ...(text.trim() ? [text.trim()] : []), ...calls];
}

/** What became of a call, and why it did not succeed. */
function summaryOf({ tool, arguments: args, status, error }: ToolCall): string {
  const words = outcomeWords(tool, args, endingOf(status, error?.kind));
  return error ? `${words} (${oneLine(error.message)})` : words;
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
