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

test("the browser is closed when the library has no such profile", async () => {
  const { actors, stopped } = actorsWhose(gone);
  await closeIfGone(actors, "p", false);
  assert.deepEqual(stopped, ["p"]);
});

test("the browser stays open when the library recorded the launch, and when the library failed", async () => {
  const fine = actorsWhose(async () => null);
  await closeIfGone(fine.actors, "p", false);
  const restarting = actorsWhose(async () => {
    throw new Fault("internal", "the library thread ended");
  });
  await closeIfGone(restarting.actors, "p", false);
  assert.deepEqual([...fine.stopped, ...restarting.stopped], []);
});

test("a diagnostic launch is closed too, and is not recorded", async () => {
  let noted = 0;
  const note = async () => {
    noted += 1;
    return null;
  };
  const { actors, stopped } = actorsWhose(note, gone);
  await closeIfGone(actors, "p", true);
  assert.deepEqual([stopped, noted], [["p"], 0]);
});
