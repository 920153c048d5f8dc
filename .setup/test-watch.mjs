/** Runs tests again after each change of a source. Looks by name, because a watch of Node loses a file that an editor replaces. */
import { statSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { root } from "./paths.mjs";
import { filesUnder } from "./stamp.mjs";

const folders = ["actors", "bench", "gateway", "protocol", "storage", "test"];
const everyMs = 500;

function stateOfSources() {
  const states = folders
    .flatMap((folder) => filesUnder(folder, (name) => /\.(tsx?|mjs|json)$/.test(name)))
    .map((name) => {
      const found = statSync(join(root, name), { throwIfNoEntry: false });
      return `${name} ${found?.mtimeMs} ${found?.size} ${found?.ino}`;
    });
  return states.join("\n");
}

/** Never returns. `run` runs the tests once. */
export async function runAfterChanges(run) {
  for (;;) {
    const before = stateOfSources();
    await run();
    process.stdout.write("\nwaiting for a change; Ctrl-C ends\n");
    while (stateOfSources() === before) await pause(everyMs);
  }
}
