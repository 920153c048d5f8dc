/** SQLite's query plans for reads whose cost must not grow with the library: an index or a scan from the end, never a sort. */
import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import type { SqlValue } from "../../storage/journal-records.ts";
import type { Reader, Row } from "../../storage/sqlite.ts";
import { openStorage, type Storage } from "../../storage/storage.ts";
import { listParts } from "../../storage/tables/run-profiles.ts";
import { listRuns, readRun, runGoingOn, runsGoingOn } from "../../storage/tables/runs.ts";
import { readSchedule, scheduleRecord, upcomingSchedules } from "../../storage/tables/schedules.ts";

async function open(t: TestContext): Promise<Storage> {
  const dataDir = mkdtempSync(join(tmpdir(), "troupe-plans-"));
  const storage = await openStorage({ dataDir, warn: (text) => assert.fail(text) });
  t.after(async () => {
    await storage.close();
    rmSync(dataDir, { recursive: true, force: true });
  });
  return storage;
}

function plansOf(sql: Reader, read: (sql: Reader) => unknown): string[] {
  const steps: string[] = [];
  const all = (text: string, values: SqlValue[] = []): Row[] => {
    steps.push(...sql.all(`EXPLAIN QUERY PLAN ${text}`, values).map((row) => String(row.detail)));
    return sql.all(text, values);
  };
  read({ all, first: (text, values) => all(text, values)[0] });
  return steps;
}

const id = "00000000-0000-4000-8000-000000000000";

test("single records, a schedule's runs and due schedules are found by an index", async (t) => {
  const { database } = await open(t);
  const reads: Record<string, (sql: Reader) => unknown> = {
    readRun: (sql) => readRun(sql, id),
    listRunsOfSchedule: (sql) => listRuns(sql, id, 100),
    runGoingOn: (sql) => runGoingOn(sql, id),
    listParts: (sql) => listParts(sql, id, { offset: 0, limit: 100, status: "failed" }),
    readSchedule: (sql) => readSchedule(sql, id),
    scheduleRecord: (sql) => scheduleRecord(sql, id),
  };
  for (const [name, read] of Object.entries(reads)) {
    const steps = await database.read((sql) => plansOf(sql, read));
    assert.ok(steps.length > 0 && steps.every((step) => /^SEARCH .* USING /.test(step)), `${name}: ${steps}`);
  }
});

test("the newest runs, running runs and next schedules are read in order without a sort", async (t) => {
  const { database } = await open(t);
  const reads: Record<string, [read: (sql: Reader) => unknown, step: string]> = {
    listRuns: [(sql) => listRuns(sql, null, 100), "SCAN runs"], // From the end, by position; LIMIT stops it.
    runsGoingOn: [(sql) => runsGoingOn(sql), "SCAN runs USING INDEX runs_going_on"],
    upcomingSchedules: [
      (sql) => upcomingSchedules(sql, 64),
      "SEARCH schedules USING INDEX schedules_to_run (next_run>?)",
    ],
  };
  for (const [name, [read, step]] of Object.entries(reads)) {
    assert.deepEqual(await database.read((sql) => plansOf(sql, read)), [step], name);
  }
});

test("the check recognises a plan that sorts", async (t) => {
  const { database } = await open(t);
  const steps = await database.read((sql) =>
    plansOf(sql, (reader) => reader.all("SELECT id FROM runs ORDER BY started_at")),
  );
  assert.ok(
    steps.some((step) => step.includes("TEMP B-TREE")),
    String(steps),
  );
});
