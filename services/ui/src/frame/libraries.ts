/** The agent's libraries in a page: fetched before its code runs, so that `importModule` needs no waiting. */

const NAMED = /\b(?:importModule|require)\(\s*(["'`])([a-z][a-z0-9_]{0,63})\1\s*,?\s*\)/g;

/** Gives what a library exports. Throws for one that the code doesn't name as a text. */
export type ImportModule = (name: string) => unknown;

/** Fetch every library that the code names, and those that they name. Rejects if one isn't there. */
export async function librariesOf(
  code: string,
  fetchCode: (name: string) => Promise<string>,
): Promise<ImportModule> {
  const codes = new Map<string, string>();
  let wanted = namedIn(code);
  while (wanted.length) {
    const found = await Promise.all(wanted.map(async (name) => [name, await fetchCode(name)] as const));
    for (const [name, text] of found) codes.set(name, text);
    wanted = [...new Set(found.flatMap(([, text]) => namedIn(text)))].filter((name) => !codes.has(name));
  }
  return importerOf(codes);
}

/** React is every page's own. */
function namedIn(code: string): string[] {
  const names = [...code.matchAll(NAMED)].map((match) => match[2] ?? "");
  return [...new Set(names)].filter((name) => name !== "react");
}

/** Each library is run once, when it is first asked for; of two that need each other, the first is unfinished. */
function importerOf(codes: ReadonlyMap<string, string>): ImportModule {
  const modules = new Map<string, { exports: unknown }>();
  function importModule(name: string): unknown {
    const known = modules.get(name);
    if (known) return known.exports;
    const code = codes.get(name);
    if (code === undefined)
      throw new Error(`importModule must name the library as a text: importModule("${name}")`);
    const module = { exports: {} as unknown };
    modules.set(name, module);
    const make = new Function("module", "exports", "require", `${code}\n//# sourceURL=${name}.library.js`);
    make(module, module.exports, importModule);
    return module.exports;
  }
  return importModule;
}
