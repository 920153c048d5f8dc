/** A process without free file descriptors, and the errors of its starts and opens. */
import assert from "node:assert/strict";
import { once } from "node:events";
import { openSync } from "node:fs";
import { join } from "node:path";
import { systemClock } from "../../actors/kernel/clock.ts";
import { spawnLeader, startErrorText } from "../../actors/kernel/process-group.ts";
import { createLibrary } from "../../actors/library/library.ts";
import { spawnBrowser } from "../../actors/profile/chromium/process.ts";
import { createProfiles, listProfiles } from "../actors/library.ts";

const [dir = ""] = process.argv.slice(2);
const library = await createLibrary({ dataDir: join(dir, "first"), clock: systemClock });
const inWords = /EMFILE\)?[:;] .*ulimit -n 4096/;
// Loads the code before the descriptors are used up.
await once(spawnLeader("/bin/echo", [], { stdio: "ignore" }), "close");
await assert.rejects(createLibrary({ dataDir: "/dev/null/none", clock: systemClock }));
try {
  for (;;) openSync("/dev/null", "r");
} catch (error) {
  assert.match(startErrorText(error), inWords);
}
const browser = spawnBrowser({ chromiumPath: "/bin/echo", switches: [], env: {} });
assert.equal(browser.pid, 0);
assert.equal(browser.pipe, null);
assert.match((await browser.ended).how, inWords);
await assert.rejects(createLibrary({ dataDir: join(dir, "second"), clock: systemClock }), inWords);
await createProfiles(library, 1);
assert.equal((await listProfiles(library)).length, 1);
process.exit(0);
