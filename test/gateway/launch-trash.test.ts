/** The launch route when the profile has gone to the trash behind its back: the browser that has opened is closed. */
import assert from "node:assert/strict";
import { test } from "node:test";
import type { Actors } from "../../gateway/actors.ts";
import { closeIfGone } from "../../gateway/actors.ts";
import { Fault } from "../../protocol/faults.ts";

function actorsWhose(profileUsed: () => Promise<null>) {
  const stopped: string[] = [];
  const library: Partial<Actors["library"]> = { profileUsed };
  const pool: Partial<Actors["pool"]> = {
    stop: async ({ profileId }) => {
      stopped.push(profileId);
      return null;
    },
  };
  return { actors: { library, pool } as Pick<Actors, "library" | "pool">, stopped };
}

test("it is closed when the library knows it no longer", async () => {
  const { actors, stopped } = actorsWhose(async () => {
    throw new Fault("not-found", "profile p does not exist");
  });
  await closeIfGone(actors, "p");
  assert.deepEqual(stopped, ["p"]);
});

test("it stays open when it is noted, and when the library could not note it", async () => {
  const fine = actorsWhose(async () => null);
  await closeIfGone(fine.actors, "p");
  const restarting = actorsWhose(async () => {
    throw new Fault("internal", "the library thread ended");
  });
  await closeIfGone(restarting.actors, "p");
  assert.deepEqual([...fine.stopped, ...restarting.stopped], []);
});
