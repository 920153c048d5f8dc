/** The states of datasets' rows after thousands of random assigns, runs, resets and power cuts, compared with a model. */
import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { ManualClock } from "../../actors/kernel/clock.ts";
import { createLibrary, type Library } from "../../actors/library/library.ts";
import { Fault } from "../../protocol/faults.ts";
import type { Profile } from "../../protocol/records.ts";
import { type Aftermath, PowerDisk } from "../storage/disks.ts";
import { integrityOf } from "../storage/integrity.ts";
import { applyStep, firstFree, interrupt, type Model, newModel, type Step } from "./dataset-model.ts";
import { bytesOf, newDataset, pageOf } from "./datasets.ts";
import { createProfiles, listProfiles, outcome, runInput, saveScript } from "./library.ts";

const steps = 2_000;
const profilesMax = 24;
const columns = [{ name: "n" }, { name: "secret", secret: true }];

function randomOf(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state ^ (state >>> 15), 0x2c1b3c6d) + 0x9e3779b9) | 0;
    const mixed = Math.imul(state ^ (state >>> 12), 0x297a2d39);
    return ((mixed ^ (mixed >>> 15)) >>> 0) / 2 ** 32;
  };
}

interface World {
  library: Library;
  disk: PowerDisk;
  model: Model;
  scriptId: string;
  pick(count: number): number;
}

/** The library's state in the form of the model. Checks that counts match rows. */
async function found(library: Library): Promise<unknown> {
  const datasets = [];
  for (const { id, mode, rows: counts } of await library.listDatasets({})) {
    const { total, rows } = await pageOf(library, id, 0, 1_000);
    const counted = { total, unassigned: 0, assigned: 0, available: 0, reserved: 0, used: 0 };
    for (const row of rows) counted[row.state] += 1;
    assert.deepEqual(counts, counted, "the counts match the rows");
    assert.equal(total, rows.length);
    const plain = { unassigned: "free", available: "free", assigned: "held", reserved: "held", used: "used" };
    datasets.push({
      id,
      mode,
      rows: rows.map(({ state, profileId, runId }) => ({ state: plain[state], profileId, runId })),
    });
  }
  const names = (profile: Profile) => [profile.id, profile.identityDataset, profile.contentDataset];
  return { datasets, profiles: (await listProfiles(library)).map(names) };
}

function expected({ datasets, profileIds, slots }: Model): unknown {
  const nameIn = (slot: string) => datasets[slots.get(slot) ?? -1]?.name;
  return {
    datasets: datasets.map(({ id, mode, rows }) => ({ id, mode, rows })),
    profiles: profileIds.map((id) => [id, nameIn(`fixed ${id}`), nameIn(`consume ${id}`)]),
  };
}

async function take({ library, model }: World, step: Step): Promise<boolean> {
  const datasetId = "dataset" in step ? (model.datasets[step.dataset]?.id ?? "") : "";
  const calls: Record<Step["what"], () => Promise<unknown>> = {
    append: () => library.appendRows({ datasetId, rows: bytesOf(rowsOf("rows" in step ? step.rows : 0)) }),
    assign: () => library.assignDataset({ datasetId, force: false, profileIds: [], ...step }),
    unassign: () => library.unassignDataset({ datasetId, profileIds: [], ...step }),
    reset: () => library.resetDataset({ datasetId }),
    begin: () => library.beginRunProfile({ runId: "", profileId: "", ...step }),
    end: () =>
      library.endRunProfile({
        runId: "",
        profileId: "",
        ...step,
        outcome: outcome("status" in step ? step.status : "failed"),
      }),
    endRun: () => library.endRun({ runId: "", error: null, ...step }),
  };
  try {
    await calls[step.what]();
    return true;
  } catch (error) {
    if (error instanceof Fault && error.kind !== "internal") return false;
    throw error;
  }
}

function rowsOf(count: number) {
  return Array.from({ length: count }, (_, n) => ({ n: String(n), secret: "s" }));
}

function randomStep({ model, pick }: World): Step | null {
  const dataset = pick(model.datasets.length);
  const some = () => model.profileIds.filter(() => pick(6) === 0);
  const [key = "", status] = [...model.parts][pick(model.parts.size)] ?? [];
  const [runId = "", profileId = ""] = key.split(" ");
  const kind = pick(20);
  if (kind === 0) return { what: "append", dataset, rows: 1 + pick(6) };
  if (kind === 1) return { what: "reset", dataset };
  if (kind < 6) {
    const profileIds = some();
    if (profileIds.length === 0) return null;
    if (kind < 5) return { what: "assign", dataset, profileIds, force: pick(2) === 0 };
    return { what: "unassign", dataset, profileIds };
  }
  if (status === undefined) return null;
  if (kind === 6) return { what: "endRun", runId };
  if (status === "waiting") return { what: "begin", runId, profileId };
  const ends = ["completed", "completed", "failed", "skipped"] as const;
  return { what: "end", runId, profileId, status: ends[pick(ends.length)] ?? "failed" };
}

async function growProfiles({ library, model, pick }: World): Promise<void> {
  if (model.profileIds.length >= profilesMax) return;
  const chosen = (mode: "fixed" | "consume") =>
    pick(2) === 0 ? undefined : model.datasets.find((dataset) => dataset.mode === mode);
  const [identity, content] = [chosen("fixed"), chosen("consume")];
  const count = 1 + pick(2);
  const input = {
    ...(identity === undefined ? {} : { identityDatasetId: identity.id }),
    ...(content === undefined ? {} : { contentDatasetId: content.id }),
  };
  const enough = identity === undefined || firstFree(identity, count).length === count;
  if (!enough) {
    await assert.rejects(createProfiles(library, count, "P {n}", input), { kind: "invalid" });
    return;
  }
  const made = await createProfiles(library, count, "P {n}", input);
  model.profileIds.push(...made);
  for (const dataset of [identity, content]) {
    if (dataset === undefined) continue;
    const index = model.datasets.indexOf(dataset);
    assert.ok(applyStep(model, { what: "assign", dataset: index, profileIds: made, force: false }));
  }
}

async function startRun({ library, model, scriptId, pick }: World): Promise<void> {
  const profileIds = model.profileIds.filter(() => pick(4) === 0);
  if (profileIds.length === 0 || model.parts.size > 40) return;
  const { run } = await library.createRun(runInput(scriptId, profileIds));
  for (const profileId of profileIds) model.parts.set(`${run.id} ${profileId}`, "waiting");
}

/** Cuts the power during a step: the step has happened or not, and answered steps have. */
async function cutPower(world: World, open: (disk: PowerDisk) => Promise<Library>): Promise<void> {
  const { model, pick, disk } = world;
  const step = randomStep(world);
  const after = structuredClone(model);
  if (step !== null) applyStep(after, step);
  let answered = false;
  const pending =
    step === null
      ? Promise.resolve()
      : take(world, step).then(() => {
          answered = true;
        });
  for (let turns = pick(6); turns > 0; turns--) await new Promise((resolve) => setImmediate(resolve));
  const aftermath: Aftermath = {
    contents: (["lost", "kept", "torn"] as const)[pick(3)] ?? "lost",
    names: pick(2) === 0 ? "lost" : "kept",
  };
  const was = answered;
  world.disk = disk.restart(aftermath);
  await pending;
  await world.library.close({});
  world.library = await open(world.disk);
  await world.library.resumeRuns({ driven: [] });
  interrupt(model);
  interrupt(after);
  const now = await found(world.library);
  const happened = was || JSON.stringify(now) === JSON.stringify(expected(after));
  if (happened) world.model = after;
  assert.deepEqual(now, expected(world.model), `after a power cut during ${JSON.stringify(step)}`);
}

test("no row is ever in two states, and the counts match, whatever happens in any order", async (t) => {
  const dataDir = mkdtempSync(join(tmpdir(), "troupe-datasets-"));
  const clock = new ManualClock();
  const open = (disk: PowerDisk) => createLibrary({ dataDir, clock, disk, journalBytesMin: 50_000 });
  const disk = new PowerDisk();
  const library = await open(disk);
  const random = randomOf(20_261_121);
  const pick = (count: number) => Math.floor(random() * count);
  const { scriptId } = await saveScript(library);
  await library.approveScript({ scriptId, sha256: null });
  const world: World = { library, disk, model: newModel(), scriptId, pick };
  t.after(async () => {
    await world.library.close({});
    rmSync(dataDir, { recursive: true, force: true });
  });
  for (const [mode, name, rowsPerRun] of [
    ["fixed", "F1", null],
    ["fixed", "F2", null],
    ["consume", "C1", 1],
    ["consume", "C3", 3],
  ] as const) {
    const { dataset } = await newDataset(library, mode, columns, rowsOf(8), rowsPerRun, name);
    const rows = Array.from({ length: 8 }, () => ({ state: "free" as const, profileId: null, runId: null }));
    world.model.datasets.push({ id: dataset.id, name, mode, rowsPerRun: rowsPerRun ?? 1, rows });
  }
  const tried: Record<string, number> = {};
  for (let done = 0; done < steps; done++) {
    const kind = pick(40);
    if (kind === 0) await growProfiles(world);
    else if (kind < 4) await startRun(world);
    else if (kind === 4) await cutPower(world, open);
    else {
      const step = randomStep(world);
      if (step === null) continue;
      const before = structuredClone(world.model);
      const allowed = applyStep(world.model, step);
      if (!allowed) world.model = before;
      assert.equal(await take(world, step), allowed, `step ${done}: ${JSON.stringify(step)}`);
      const outcomeName = `${step.what} ${allowed ? "done" : "refused"}`;
      tried[outcomeName] = (tried[outcomeName] ?? 0) + 1;
    }
    if (done % 50 === 0) assert.deepEqual(await found(world.library), expected(world.model), `step ${done}`);
  }
  assert.deepEqual(await found(world.library), expected(world.model));
  assert.equal(await world.library.look(integrityOf), "ok");
  for (const must of [
    "assign done",
    "assign refused",
    "begin done",
    "begin refused",
    "end done",
    "reset done",
  ]) {
    assert.ok((tried[must] ?? 0) >= 10, `${must}: ${tried[must]} times`);
  }
});
