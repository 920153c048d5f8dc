/** User calls on profiles and their browsers. */
import { absent } from "../facts.ts";
import type { World } from "../world.ts";
import type { Move } from "./move.ts";

export const profiles = ({ facts }: World) => facts.keysOf("profile ", "there");
const trashed = ({ facts }: World) => facts.keysOf("profile ", "trashed");

export const createProfiles: Move = (world) => {
  const count = world.chance.between(1, 2);
  world.call(
    "create profiles",
    ({ operations }) => operations.createProfiles({ count, nameTemplate: "P {n}", os: null, tags: [] }),
    {
      deadlineMs: 120_000,
      done: ({ created }) => {
        for (const { profile_id } of created) world.facts.know(`profile ${profile_id}`, "there");
      },
    },
  );
};

export const launch: Move = (world) => {
  const profileId = world.chance.of(profiles(world));
  if (profileId === undefined) return;
  const idleTimeoutSecs = world.chance.is(0.3) ? 20 : 0;
  world.call(
    `launch ${profileId}`,
    ({ pool }) => {
      const options = { diagnostic: false, headless: true, idleTimeoutSecs };
      return pool.launch({ profileId, options, wait: false, warmRunner: null });
    },
    { deadlineMs: 11 * 60_000, done: () => void world.opened.add(profileId) },
  );
};

export const stop: Move = (world) => {
  const profileId = world.chance.of(profiles(world));
  if (profileId === undefined) return;
  world.call(`stop ${profileId}`, ({ pool }) => pool.stop({ profileId }), { deadlineMs: 60_000 });
};

export const trash: Move = (world) => {
  const profileId = world.chance.of(profiles(world));
  if (profileId === undefined || profiles(world).length < 3) return;
  const profileIds = [profileId];
  world.call(`trash ${profileId}`, ({ operations }) => operations.trashProfiles({ profileIds }), {
    changes: [[`profile ${profileId}`, "trashed"]],
    deadlineMs: 240_000,
  });
};

export const outOfTrash: Move = (world) => {
  const profileId = world.chance.of(trashed(world));
  if (profileId === undefined) return;
  const profileIds = [profileId];
  if (world.chance.is(0.5))
    world.call(`restore ${profileId}`, ({ library }) => library.restoreProfiles({ profileIds }), {
      changes: [[`profile ${profileId}`, "there"]],
    });
  else
    world.call(`delete ${profileId}`, ({ library }) => library.deleteForGood({ profileIds }), {
      changes: [
        [`profile ${profileId}`, absent],
        [`variables ${profileId}`, absent],
      ],
    });
};

export const setVariables: Move = (world) => {
  const profileId = world.chance.of(profiles(world));
  if (profileId === undefined) return;
  const name = `v${world.chance.between(1, 1e6)}`;
  world.call(
    "set variables",
    ({ library }) => library.setVariables({ profileId, variables: { [name]: "x" } }),
    {
      changes: [[`variables ${profileId}`, name]],
    },
  );
};
