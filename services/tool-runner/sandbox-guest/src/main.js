// A run's life in the guest: start, steps, and its one end.
import "./console.js";
import "./encoding.js";
import "./csv.js";
import "./web.js";
import "./events.js";
import "./abort.js";
import "./headers.js";
import "./blob.js";
import "./subtle.js";
import "./intl.js";
import "./host_api.js";
import "./fetch.js";
import { apply, define, E, freeze, G, M, onSettled, stringify } from "./intrinsics.js";
import { answered, limits, waiting } from "./calls.js";
import { log } from "./console.js";
import { exactResult } from "./exact.js";
import { addLibraries, compiled, requireLibrary } from "./modules.js";
import { connectNative } from "./native.js";
import { connect, emit, errorObject, limitError } from "./wire.js";

const RUNNING = 0, RETURNED = 1, FAILED = 2;
let started = false, done = false, closing = false, main = RUNNING, returned;
const rejected = new Map(); // promise -> reason, of those that nobody handles

function succeed(value) {
  if (done || closing) return;
  closing = true;
  try {
    const json = exactResult(value);
    if (json.length > limits.result)
      throw limitError("result_size", "ResultSizeError", `a result of more than ${limits.result} bytes`);
    tellRejections();
    emit(`["r",${json}]`);
    done = true;
  } catch (e) {
    closing = false;
    fail(e);
  }
}

function fail(e, fatal, kind) {
  if (done || (closing && !fatal)) return;
  closing = true;
  const told = fatal && (e === null || e === undefined) ? { name: "InternalError", message: "out of memory" } : errorObject(e);
  if (kind) told.kind = kind;
  emit(`["e",${stringify(told)}]`);
  done = true;
}

function tellRejections() {
  const reasons = [...rejected.values()];
  for (let i = 0; i < reasons.length && i < 10; i++) {
    const e = errorObject(reasons[i]);
    try {
      log("warn", `a promise was rejected and nobody looked: ${e.name}: ${e.message}`);
    } catch {
      return; // the log is full
    }
  }
}

const SyntaxE = SyntaxError;
const HEADS = { body: "async function main(args,secrets,resolve)", module: "function(module,exports,require)" };

function start(run) {
  if (started) throw new E("start: once");
  started = true;
  for (const name in run.limits) limits[name] = run.limits[name];
  addLibraries(run.libraries);
  const resolve = (value) => succeed(value);
  let f;
  try {
    f = compiled(HEADS[run.form], run.code, run.file);
  } catch (e) {
    fail(e, false, e instanceof SyntaxE ? "syntax" : undefined);
    return;
  }
  if (run.check) {
    succeed(null);
    return;
  }
  const secrets = freeze(run.secrets);
  define("args", run.args);
  define("secrets", secrets);
  define("resolve", resolve);
  onSettled(
    apply(f, undefined, [run.args, secrets, resolve]),
    (value) => {
      main = RETURNED;
      returned = value;
      if (value !== undefined) succeed(value);
    },
    (e) => {
      main = FAILED;
      fail(e);
    },
  );
}

/** The status of a step: 0 waits, 1 finished, 2 stuck. With an argument: tell of an error that no code can catch. */
function finish(...fatal) {
  if (done) return 1;
  if (fatal.length) {
    fail(fatal[0], true);
    return 3;
  }
  if (waiting(main === RUNNING)) return 0;
  if (main === RETURNED) {
    succeed(returned);
    return 1;
  }
  tellRejections();
  return 2;
}

function preload(libraries) {
  addLibraries(libraries);
  for (const name in libraries) requireLibrary(name);
}

function rejection(promise, reason, handled) {
  if (handled) M.delete(rejected, promise);
  else if (M.size(rejected) < 1000) M.set(rejected, promise, reason);
}

function lockDown() {
  // A call site's getFunction would hand out the functions of this file.
  let site;
  const before = E.prepareStackTrace;
  E.prepareStackTrace = (_, sites) => sites;
  site = new E().stack[0];
  E.prepareStackTrace = before;
  const proto = Object.getPrototypeOf(site);
  delete proto.getFunction;
  delete proto.getThis;
  delete G.eval;
  delete G.SharedArrayBuffer;
  delete G.Atomics;
  delete G.navigator;
}

export default function boot(emit_, compile_, native) {
  connect(emit_, compile_);
  connectNative(native);
  lockDown();
  return { start, step: (answers) => answered(answers, fail), finish, preload, rejection };
}
