/** A bench that receives several signals ends everything it started, once, and then itself. */
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { test } from "node:test";
import { bundled } from "../bundled.ts";

const ending = JSON.stringify(await bundled(new URL("../../bench/run/ending.ts", import.meta.url)));
/** Opens two resources; the second closes only on a message. */
const program = `
  import { endOnSignals, endsWithBench } from ${ending};
  const timer = setInterval(() => {}, 1_000);
  endsWithBench(async () => console.log("the first has ended"));
  endsWithBench(async () => {
    console.log("the second is told to end");
    await new Promise((resolve) => process.once("message", resolve));
  });
  endOnSignals();
  process.on("SIGUSR2", () => {
    try {
      endsWithBench(async () => console.log("the third has ended"));
    } catch (error) {
      console.log(error.message);
    }
  });
  console.log("ready");`;

test("a second signal shortens nothing, and nothing starts after the first", async () => {
  const child = spawn(process.execPath, ["--input-type=module", "-e", program], {
    stdio: ["ignore", "pipe", "inherit", "ipc"],
  });
  const closed = once(child, "close");
  const said: string[] = [];
  assert.ok(child.stdout);
  const lines = createInterface(child.stdout)[Symbol.asyncIterator]();
  const next = async () => said.push((await lines.next()).value ?? "nothing more");
  await next();
  child.kill("SIGTERM");
  await next();
  child.kill("SIGTERM");
  child.kill("SIGINT");
  child.kill("SIGUSR2");
  await next();
  await next();
  child.send("end");
  await next();
  assert.deepEqual(said, [
    "ready",
    "the second is told to end",
    "the third has ended",
    "the bench is ending",
    "the first has ended",
  ]);
  assert.deepEqual(await closed, [143, null]);
});
