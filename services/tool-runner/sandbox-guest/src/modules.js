// require(name): CommonJS libraries, evaluated once a run (or before it, in a snapshot).
import { apply, create, define, stringify } from "./intrinsics.js";
import { compile, emit, limitError, text } from "./wire.js";

export const DEEPEST = 10;
const sources = create(null);
const loaded = create(null);
const loading = [];

const functionText = Function.prototype.toString, SyntaxE = SyntaxError;

/** Author's code as a function of its own, its first line in line 1. Text that closes the function early is no body. */
export function compiled(head, code, file) {
  const body = `${head}{\n${code}\n}`;
  const f = compile(`(${body})`, file, 0);
  if (apply(functionText, f, []) !== body) throw new SyntaxE("unexpected '}': it closes more than was opened");
  return f;
}

export function addLibraries(libraries) {
  for (const name in libraries) sources[name] = libraries[name];
}

/** A library's exports. What it throws while it loads is thrown again at each further require of it. */
export function requireLibrary(wanted) {
  const name = text(wanted);
  const known = loaded[name];
  if (known?.done) return known.module.exports;
  if (known?.failed) throw known.error;
  if (known) {
    let path = "";
    for (let i = 0; i < loading.length; i++) path += `${loading[i]} → `;
    throw limitError("require_cycle", "RequireCycleError", `libraries require each other in a circle: ${path}${name}`);
  }
  if (loading.length >= DEEPEST)
    throw limitError("require_depth", "RequireDepthError", `more than ${DEEPEST} libraries deep at ${name}`);
  const source = sources[name];
  if (source === undefined) {
    emit(`["m",${stringify(name)}]`);
    const e = limitError("module_not_found", "ModuleNotFoundError", `there is no library named ${stringify(name)}`);
    e.code = "MODULE_NOT_FOUND";
    throw e;
  }
  const entry = (loaded[name] = { module: { exports: {} }, done: false, failed: false, error: undefined });
  loading[loading.length] = name;
  try {
    const body = compiled("function(module,exports,require)", source, `lib:${name}`);
    apply(body, undefined, [entry.module, entry.module.exports, requireLibrary]);
    entry.done = true;
  } catch (e) {
    entry.failed = true;
    entry.error = e;
    throw e;
  } finally {
    loading.length--;
  }
  return entry.module.exports;
}

define("require", requireLibrary);
