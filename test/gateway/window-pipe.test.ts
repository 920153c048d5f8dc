/** The pipe to the control page's browser: callers do not wait for a browser that has exited or does not answer. */
import assert from "node:assert/strict";
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { Readable } from "node:stream";
import { test } from "node:test";
import { openWindowPipe } from "../../gateway/app/window-pipe.ts";

function silent(): ChildProcess {
  const script = "require('node:fs').createReadStream(null, { fd: 3 }).resume()";
  const args = ["-e", script];
  return spawn(process.execPath, args, { stdio: ["ignore", "ignore", "ignore", "pipe", "pipe"] });
}

test("a browser whose pipe has closed is gone for later calls too", { timeout: 20_000 }, async () => {
  const child = silent();
  const pipe = openWindowPipe(child);
  const [, , , , input] = child.stdio;
  assert.ok(input instanceof Readable);
  const closed = once(input, "close");
  child.kill("SIGKILL");
  await closed;
  await assert.rejects(pipe.raise(), /the browser has ended/);
  await assert.rejects(pipe.shows("http://127.0.0.1:1"), /the browser has ended/);
});

test("a call waits at most two seconds for a browser that does not answer", {
  timeout: 20_000,
}, async () => {
  const child = silent();
  const exited = once(child, "exit");
  try {
    const pipe = openWindowPipe(child);
    await assert.rejects(pipe.raise(), /did not answer within 2000 ms/);
  } finally {
    child.kill("SIGKILL");
    await exited;
  }
});
