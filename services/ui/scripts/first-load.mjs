// The scripts that the page loads before it shows anything may have so many bytes, compressed: `npm run first-load`.
import { readFileSync } from "node:fs";
import { gzipSync } from "node:zlib";

const MOST_BYTES = 350 * 1024;
const dist = new URL("../dist/", import.meta.url);
const page = readFileSync(new URL("index.html", dist), "utf8");
const named = [...page.matchAll(/(?:src|href)="\.\/([^"]+\.js)"/g)].map(([, name]) => name);
if (!named.some((name) => name.startsWith("assets/")))
  throw new Error("dist/index.html names no script: build first");

// With what those import at once: `import"./x.js"` and `from"./x.js"`, not `import("./x.js")`.
const found = new Map();
function take(name) {
  if (found.has(name)) return;
  const text = readFileSync(new URL(name, dist));
  found.set(name, gzipSync(text, { level: 9 }).length);
  for (const [, other] of text.toString().matchAll(/(?:\bfrom|\bimport)\s*"\.\/([^"]+\.js)"/g))
    take(`assets/${other}`);
}
named.forEach(take);

const sum = [...found.values()].reduce((one, other) => one + other, 0);
const words = `First load: ${Math.round(sum / 1024)} of at most ${MOST_BYTES / 1024} KiB of scripts, compressed`;
if (sum > MOST_BYTES) {
  console.error(`${words}. Load later what isn't shown at once (import()):`);
  for (const [name, size] of found) console.error(`  ${Math.round(size / 1024)} KiB ${name}`);
  process.exit(1);
}
console.log(words);
