/** A launch closes its browser when the profile went to the trash meanwhile. */
import assert from "node:assert/strict";
import { test } from "node:test";
import type { Actors } from "../../gateway/actors.ts";
import { closeIfGone } from "../../gateway/actors.ts";
import { Fault } from "../../protocol/faults.ts";

const neverAsked = async (): Promise<never> => {
  throw new Fault("not-found", "not asked");
};

const gone = async (): Promise<never> => {
  throw new Fault("not-found", "profile p does not exist");
};

function actorsWhose(profileUsed: () => Promise<null>, profileSpec = neverAsked) {
  const stopped: string[] = [];
  const library: Partial<Actors["library"]> = { profileUsed, profileSpec };
  const pool: Partial<Actors["pool"]> = {
    stop: async ({ profileId }) => {
      stopped.push(profileId);
      return null;
    },
  };
  return { actors: { library, pool } as Pick<Actors, "library" | "pool">, stopped };
}

test("it is closed when the library knows it no longer", async () => {
  const { actors, stopped } = actorsWhose(gone);
  await closeIfGone(actors, "p", false);
  assert.deepEqual(stopped, ["p"]);
});

test("it stays open when it is noted, and when the library could not note it", async () => {
  const fine = actorsWhose(async () => null);
  await closeIfGone(fine.actors, "p", false);
  const restarting = actorsWhose(async () => {
    throw new Fault("internal", "the library thread ended");
  });
  await closeIfGone(restarting.actors, "p", false);
  assert.deepEqual([...fine.stopped, ...restarting.stopped], []);
});

test("a diagnostic launch is looked after too, and nothing of it is noted", async () => {
  let noted = 0;
  const note = async () => {
    noted += 1;
    return null;
  };
  const { actors, stopped } = actorsWhose(note, gone);
  await closeIfGone(actors, "p", true);
  assert.deepEqual([stopped, noted], [["p"], 0]);
});
