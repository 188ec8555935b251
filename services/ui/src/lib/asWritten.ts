/** Arguments of calls that were taken as something else than what the model wrote, in words. */
import { members } from "./shape";

const LONGEST = 200;

/** A sentence for each: `The model wrote "5" for count; taken as 5`. */
export function asWritten(call: { arguments?: unknown; as_sent?: unknown }): string[] {
  const taken = members(call.arguments);
  return Object.entries(members(call.as_sent)).map(([name, wrote]) => {
    const how = Object.hasOwn(taken, name) ? `taken as ${short(taken[name])}` : "left out";
    return `The model wrote ${short(wrote)} for ${name}; ${how}`;
  });
}

function short(value: unknown): string {
  const text = JSON.stringify(value) ?? "nothing";
  return text.length > LONGEST ? `${text.slice(0, LONGEST)}…` : text;
}
