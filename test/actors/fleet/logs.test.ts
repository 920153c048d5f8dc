/** Log lines of the fleet as they come: asked for by the head, sent by a worker, in one statement for many parts. */
import assert from "node:assert/strict";
import { test } from "node:test";
import type { LiveLog, LiveLogs } from "../../../actors/fleet/live-logs.ts";
import { createSeal, newKey } from "../../../actors/fleet/sealed.ts";
import { ManualClock } from "../../../actors/kernel/clock.ts";
import { createLogReader, createLogSender } from "../../../actors/runs/fleet-logs.ts";
import { keyOf } from "../../../actors/runs/fleet-outcomes.ts";
import type { ScriptLogTail } from "../../../protocol/run-task.ts";

const part = { runId: "r", profileId: "p" };
const other = { runId: "r", profileId: "q" };

/** The table of PostgreSQL, without sealed lines being opened. */
function createTable() {
  const rows = new Map<string, LiveLog>();
  const calls = { reads: 0, writes: 0 };
  let away = false;
  const setAway = (now: boolean) => {
    away = now;
  };
  const logs: LiveLogs = {
    async read(wishes) {
      calls.reads += 1;
      if (away) throw new Error("PostgreSQL is away");
      return wishes.flatMap((wish) => {
        const row = rows.get(keyOf(wish));
        return row !== undefined && row.count > wish.after ? [row] : [];
      });
    },
    async write(sent) {
      calls.writes += 1;
      if (away) throw new Error("PostgreSQL is away");
      for (const one of sent) rows.set(keyOf(one), one);
    },
  };
  return { logs, calls, rows, setAway };
}

/** A script's log: `write` adds lines, and `scriptLog` waits for them. */
function createSource() {
  const lines: string[] = [];
  let wake = () => {};
  return {
    write(...more: string[]) {
      lines.push(...more);
      wake();
    },
    async scriptLog({ after }: { after: number }): Promise<ScriptLogTail | null> {
      if (lines.length <= after)
        await new Promise<void>((resolve) => {
          wake = resolve;
        });
      return { lines: lines.slice(after).slice(-200), count: lines.length };
    },
  };
}

function createPair() {
  const clock = new ManualClock();
  const table = createTable();
  const seal = createSeal(newKey());
  const sources = new Map([part, other].map((one) => [one.profileId, createSource()]));
  let connections = 0;
  const disconnect = () => {
    connections -= 1;
  };
  const parts = { logs: table.logs, seal, clock };
  const sender = createLogSender(parts, async (profileId) => {
    const page = sources.get(profileId);
    if (page === undefined) throw new Error("not running");
    connections += 1;
    return { page, disconnect };
  });
  const write = (profileId: string, ...lines: string[]) => sources.get(profileId)?.write(...lines);
  return { clock, table, sender, reader: createLogReader(parts), write, connections: () => connections };
}

test("lines come while a script runs, and those before come first", async () => {
  const { clock, sender, reader, write } = createPair();
  write("p", "info: one", "info: two");
  sender.watch([part]);
  const first = reader.next(part, 0);
  await clock.advance(2_000);
  assert.deepEqual(await first, { lines: ["info: one", "info: two"], count: 2 });
  const second = reader.next(part, 2);
  write("p", "info: three");
  await clock.advance(2_000);
  assert.deepEqual(await second, { lines: ["info: three"], count: 3 });
});

test("a reader that comes later, or is slow, gets the last lines, each once", async () => {
  const { clock, sender, reader, write } = createPair();
  sender.watch([part]);
  for (let number = 0; number < 250; number += 1) {
    write("p", `info: ${number}`);
    if (number % 50 === 0) await clock.advance(600);
  }
  await clock.advance(1_000);
  const late = reader.next(part, 0);
  await clock.advance(1_000);
  const tail = await late;
  assert.deepEqual([tail?.lines.length, tail?.lines[0], tail?.count], [200, "info: 50", 250]);
  const slow = reader.next(part, 240);
  await clock.advance(1_000);
  assert.deepEqual((await slow)?.lines[0], "info: 240");
});

test("nobody reads: nothing is sent, and no browser's thread is connected", async () => {
  const { clock, table, sender, write, connections } = createPair();
  write("p", "info: one");
  sender.watch([]);
  await clock.advance(10_000);
  assert.deepEqual([table.calls.writes, connections()], [0, 0]);
  sender.watch([part]);
  await clock.advance(1_000);
  assert.deepEqual([table.calls.writes, connections()], [1, 1]);
  sender.watch([]);
  write("p", "info: two");
  await clock.advance(1_000);
  assert.equal(connections(), 0);
});

test("many parts are one statement, and a part that is not open harms no other", async () => {
  const { clock, table, sender, reader, write } = createPair();
  sender.watch([part, other, { runId: "r", profileId: "closed" }]);
  write("p", "info: p");
  write("q", "info: q");
  const answers = [reader.next(part, 0), reader.next(other, 0)];
  await clock.advance(1_000);
  assert.deepEqual(
    (await Promise.all(answers)).map((tail) => tail?.lines),
    [["info: p"], ["info: q"]],
  );
  assert.equal(table.calls.writes, 1);
});

test("while PostgreSQL is away lines wait, and a reader's wait has an end", async () => {
  const { clock, table, sender, reader, write } = createPair();
  table.setAway(true);
  sender.watch([part]);
  write("p", "info: one");
  const nothing = reader.next(part, 0);
  await clock.advance(5_000);
  assert.equal(await nothing, null);
  table.setAway(false);
  write("p", "info: two");
  const both = reader.next(part, 0);
  await clock.advance(5_000);
  assert.deepEqual(await both, { lines: ["info: one", "info: two"], count: 2 });
});
