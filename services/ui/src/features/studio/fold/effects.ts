/** What code will do for real when it runs, as far as its text shows. */

const EFFECTS: readonly (readonly [RegExp, string])[] = [
  [/\bfetch\s*\(/, "sends requests to other servers"],
  [/\bmcp\s*\./, "calls tools of MCP servers"],
  [/\bbrowser\s*\./, "wants a chat's browser, which a test run doesn't have"],
  [/\bsession\s*\./, "wants a chat of its own, which a test run doesn't have"],
  [/\bstate\s*\.\s*(set|delete)\b/, "writes the agent's state"],
  [/\bdb\s*\.\s*sql\b/, "works on the agent's database"],
  [/\b(files|spreadsheet|pdf|image)\s*\./, "works on files"],
  [/\bllm\s*\./, "asks models, which costs tokens"],
  [/\bweb\s*\./, "searches or reads the web"],
  [/\bfunctions\s*\./, "calls other functions, with all that they do"],
  [/\brequire\s*\(/, "uses libraries, with all that they do"],
  [/\bsecrets\s*\./, "uses secrets"],
];

/** In words, each after "It". Comments and texts count too: rather once too often than not at all. */
export function effectsOf(code: string): string[] {
  return EFFECTS.filter(([sign]) => sign.test(code)).map(([, words]) => words);
}
