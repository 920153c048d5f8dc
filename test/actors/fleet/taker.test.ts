/** What the head does with the end of a part while PostgreSQL or the store fails. */
import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import type { News } from "../../../actors/fleet/ledger.ts";
import { damaged } from "../../../actors/fleet/object-store.ts";
import { createSeal, endingPlace, newKey } from "../../../actors/fleet/sealed.ts";
import { createDeferred } from "../../../actors/kernel/deferred.ts";
import { createLog } from "../../../actors/kernel/log.ts";
import { createTurns } from "../../../actors/kernel/turns.ts";
import { createTaker, type TakerParts } from "../../../actors/runs/fleet-outcomes.ts";
import { Fault } from "../../../protocol/faults.ts";
import type { PartEnding } from "../../../protocol/fleet.ts";
import { outcome } from "../library.ts";

const archiveOf = (name: string) => ({ key: `runs/${name}`, sha256: name, bytes: 1 });

/** A taker over a ledger that fails `taken`, and a store in which one file is damaged. */
function head(t: TestContext, taken: () => Promise<void>) {
  const dataDir = mkdtempSync(join(tmpdir(), "troupe-taker-"));
  t.after(() => rmSync(dataDir, { recursive: true, force: true }));
  const seal = createSeal(newKey());
  const seen = { ended: 0, stored: [] as string[][], removed: [] as string[] };
  const fetched = createDeferred<void>(); // The last file was asked for.
  const archives = {
    async get({ key }: { key: string }) {
      if (!key.endsWith("damaged")) return;
      fetched.resolve();
      throw damaged(key, "the store");
    },
    async remove(key: string) {
      seen.removed.push(key);
    },
  };
  const library: TakerParts["library"] = {
    notePlaced: async () => null,
    exitMeasured: async () => null,
    async readRun() {
      throw new Fault("not-found", "no such run");
    },
    async endRunProfile({ outcome: { files } }) {
      seen.stored.push(files);
      return null;
    },
  };
  const open = { config: { dataDir }, ledger: { noted: async () => {}, taken }, archives, seal };
  const parts = { library, log: createLog("test", () => {}) };
  const exclusively = createTurns();
  const take = createTaker(open, parts, exclusively, () => {
    seen.ended += 1;
  });
  const place = { runId: "run", profileId: "p1", epoch: 1 };
  const ending: PartEnding = {
    outcome: outcome("completed"),
    files: ["whole", "damaged"].map((name) => ({ name, archive: archiveOf(name) })),
    exit: null,
    worker: "w1",
  };
  const news: News = {
    ...place,
    state: "ended",
    begun: true,
    ending: "outcome",
    outcome: seal.seal(ending, endingPlace(place)),
  };
  return { take, news, seen, exclusively, fetched };
}

test("a part has ended also when the answer to its removal is lost", async (t) => {
  const lost = async () => {
    throw new Fault("internal", "PostgreSQL does not answer");
  };
  const { take, news, seen } = head(t, lost);
  await assert.rejects(take(news), { message: /does not answer/ });
  assert.deepEqual([seen.ended, seen.stored.length], [1, 1]);
});

test("a file that cannot be read stays in the store", async (t) => {
  const { take, news, seen } = head(t, async () => {});
  await take(news);
  assert.deepEqual(
    seen.stored.flat().map((path) => path.slice(-5)),
    ["whole"],
  );
  assert.deepEqual(seen.removed, ["runs/whole"]);
});

test("an outcome is stored after the publication of its profile's part, not during it", async (t) => {
  const { take, news, seen, exclusively, fetched } = head(t, async () => {});
  let storedDuring = -1;
  const publishing = exclusively("p1", async () => {
    await fetched.promise;
    await new Promise((done) => setImmediate(done));
    storedDuring = seen.stored.length;
  });
  await Promise.all([publishing, take(news)]);
  assert.deepEqual([storedDuring, seen.stored.length], [0, 1]);
});
