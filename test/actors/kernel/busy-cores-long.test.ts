/** A group's priority where other programs use every core, which would delay the other tests. */
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { text } from "node:stream/consumers";
import { test } from "node:test";
import { spawnLeader } from "../../../actors/kernel/process-group.ts";
import { steppedBackNice } from "../../../actors/kernel/process-priority.ts";

test("a leader with a lower priority has it before it starts others, also on busy cores", async (t) => {
  if (!existsSync("/usr/bin/perl")) return t.diagnostic("without Perl, the priority is set after the start");
  const busy = Array.from({ length: 4 }, () =>
    spawn(process.execPath, ["-e", "for (;;);"], { stdio: "ignore" }),
  );
  t.after(() => busy.map((one) => one.kill("SIGKILL")));
  const seen = [];
  for (let round = 0; round < 12; round++) {
    const args = ["-c", "nice & wait"]; // The command `nice` prints its own value.
    const child = spawnLeader("/bin/sh", args, { stdio: ["ignore", "pipe", "ignore"] }, steppedBackNice());
    assert.ok(child.stdout !== null);
    seen.push((await text(child.stdout)).trim());
  }
  assert.deepEqual([...new Set(seen)], [String(steppedBackNice())]);
});
