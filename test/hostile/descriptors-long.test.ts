/** A process without free file descriptors reports a clear error, and its library continues. */
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { text } from "node:stream/consumers";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { temporaryDir } from "../storage/open.ts";

test("without free file descriptors, the error of every start and open names the remedy", async (t) => {
  const host = fileURLToPath(new URL("./descriptors-host.ts", import.meta.url));
  const few = 'ulimit -n 64; exec "$@"';
  const args = ["-c", few, "sh", process.execPath, "--import", "tsx", host, temporaryDir(t)];
  const child = spawn("/bin/sh", args, { stdio: ["ignore", "ignore", "pipe"] });
  const [said, [code]] = await Promise.all([text(child.stderr), once(child, "exit")]);
  assert.equal(code, 0, said);
});
