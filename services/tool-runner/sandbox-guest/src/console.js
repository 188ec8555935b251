// console.*: lines of the run's log.
import { define, E, now, stringify } from "./intrinsics.js";
import { limits } from "./calls.js";
import { emit, errorObject, limitError, text, wire } from "./wire.js";

const LONGEST = 16384;
let bytes = 0;
let over = false;

/** One line. Past the limit the first call says so in the log, and each throws. */
export function log(level, line) {
  if (over) throw limitError("logs", "LogLimitError", `more than ${limits.logs} bytes of logs`);
  if (line.length > LONGEST) {
    let head = "";
    for (let i = 0; i < LONGEST; i++) head += line[i];
    line = `${head} […]`;
  }
  const json = stringify(line);
  bytes += json.length + 16;
  if (bytes > limits.logs) {
    over = true;
    emit('["l","warn","[the log is full]"]');
    throw limitError("logs", "LogLimitError", `more than ${limits.logs} bytes of logs`);
  }
  emit(`["l","${level}",${json}]`);
}

function shown(v) {
  if (typeof v === "string") return v;
  if (typeof v === "function") return `[function ${text(v.name)}]`;
  if (typeof v !== "object" || v === null) return text(v);
  if (v instanceof E) {
    const e = errorObject(v);
    return `${e.name}: ${e.message}${e.stack ? `\n${e.stack}` : ""}`;
  }
  if (v instanceof Map) return `Map ${wire([...v])}`;
  if (v instanceof Set) return `Set ${wire([...v])}`;
  return wire(v);
}

function line(values) {
  let out = "", i = 0;
  if (typeof values[0] === "string" && values.length > 1) {
    const f = values[i++];
    for (let k = 0; k < f.length; k++) {
      const d = f[k] === "%" ? f[k + 1] : "";
      if (d === "%") out += "%";
      else if (d === "s" && i < values.length) out += shown(values[i++]);
      else if ((d === "d" || d === "i" || d === "f") && i < values.length) out += text(+values[i++]);
      else if ((d === "j" || d === "o" || d === "O") && i < values.length) out += wire(values[i++]);
      else {
        out += f[k];
        continue;
      }
      k++;
    }
  } else if (values.length) out = shown(values[i++]);
  for (; i < values.length; i++) out += ` ${shown(values[i])}`;
  return out;
}

const began = new Map();
const con = {};
for (const [name, level] of [
  ["log", "log"], ["info", "log"], ["debug", "log"], ["dir", "log"], ["table", "log"], ["group", "log"],
  ["warn", "warn"], ["error", "error"], ["trace", "error"],
])
  con[name] = (...values) => log(level, line(values));
con.groupEnd = () => {};
con.assert = (ok, ...values) => ok || log("error", `assertion failed${values.length ? `: ${line(values)}` : ""}`);
con.time = (label = "default") => began.set(text(label), now());
con.timeEnd = (label = "default") => {
  const t = began.get(text(label));
  if (t !== undefined) log("log", `${text(label)}: ${now() - t} ms`);
};
define("console", con);
