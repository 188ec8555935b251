/**
 * Makes package-lock.json anew from package.json, for every platform, and leaves out all addresses: it must hold on
 * any registry. It works in an empty folder, since npm would take over what is installed here for this platform only.
 */
import { execFileSync } from "node:child_process";
import { copyFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const here = fileURLToPath(new URL("../", import.meta.url));
const folder = mkdtempSync(join(tmpdir(), "lock-"));
try {
  for (const name of ["package.json", ".npmrc"]) copyFileSync(join(here, name), join(folder, name));
  execFileSync("npm", ["install", "--package-lock-only"], { cwd: folder, stdio: "inherit" });
  const lock = JSON.parse(readFileSync(join(folder, "package-lock.json"), "utf8"));
  for (const entry of Object.values(lock.packages)) {
    delete entry.funding;
    delete entry.resolved;
    delete entry.deprecated;
  }
  writeFileSync(join(here, "package-lock.json"), `${JSON.stringify(lock, null, 2)}\n`);
} finally {
  rmSync(folder, { recursive: true });
}
