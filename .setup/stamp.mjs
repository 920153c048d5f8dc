/** Remembers the hash of a step's inputs, so that an unchanged step is skipped. */
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { cacheDir, root } from "./paths.mjs";

/** All files under a folder, or the file itself, sorted, relative to the root. Skips node_modules. */
export function filesUnder(place, accepts) {
  const path = join(root, place);
  if (!existsSync(path)) return [];
  const found = [];
  const walk = (folder, prefix) => {
    for (const entry of readdirSync(folder, { withFileTypes: true })) {
      const name = `${prefix}/${entry.name}`;
      if (entry.name === "node_modules") continue;
      if (entry.isDirectory()) walk(join(folder, entry.name), name);
      else if (accepts(name)) found.push(name);
    }
  };
  walk(path, place);
  return found.sort();
}

export function hashOf(files) {
  const hash = createHash("sha256");
  for (const file of files) {
    const content = readFileSync(join(root, file));
    hash.update(`${file}\0${content.length}\0`).update(content);
  }
  return hash.digest("hex");
}

const stampPath = (step) => join(cacheDir, "stamps", step);

export function isStamped(step, hash, outputs) {
  try {
    if (readFileSync(stampPath(step), "utf8") !== hash) return false;
  } catch {
    return false;
  }
  return outputs.every((output) => existsSync(join(root, output)));
}

export function stamp(step, hash) {
  mkdirSync(join(cacheDir, "stamps"), { recursive: true });
  const next = `${stampPath(step)}.${process.pid}`;
  writeFileSync(next, hash);
  renameSync(next, stampPath(step));
}

/** Call before a step begins, so that an interrupted step does not count as done. */
export function unstamp(step) {
  rmSync(stampPath(step), { force: true });
}
