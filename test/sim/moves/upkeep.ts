/** User calls on settings, tokens and the whole library. */
import { absent } from "../facts.ts";
import type { Move } from "./move.ts";

export const changeSettings: Move = (world) => {
  const { chance } = world;
  const max = chance.between(1, 4);
  const timeoutMs = chance.between(5, 60) * 1_000;
  world.call(
    "change settings",
    async ({ library, setMax }) => {
      await library.changeSettings({ settings: { browsersMax: max, runProfileTimeoutMs: timeoutMs } });
      await setMax(max);
    },
    {
      changes: [
        ["setting browsersMax", String(max)],
        ["setting runProfileTimeoutMs", String(timeoutMs)],
      ],
      deadlineMs: 60_000,
    },
  );
};

export const tokens: Move = (world) => {
  const name = `token ${world.chance.between(1, 6)}`;
  if (world.chance.is(0.6))
    world.call(`mint ${name}`, ({ library }) => library.mintToken({ name, access: "read" }), {
      changes: [[`token ${name}`, "there"]],
    });
  else
    world.call(`revoke ${name}`, ({ library }) => library.revokeToken({ name }), {
      changes: [[`token ${name}`, absent]],
    });
};

export const maintain: Move = (world) =>
  world.call("housekeeping", ({ library }) => library.maintain({}), { deadlineMs: 60_000 });
