/** User calls on schedules. */
import type { NewSchedule } from "../../../protocol/messages/schedules.ts";
import { absent } from "../facts.ts";
import type { World } from "../world.ts";
import type { Move } from "./move.ts";
import { profiles } from "./profiles.ts";

const schedules = ({ facts }: World) => facts.keysOf("schedule ", "on");

function timing({ chance, timeline }: World): NewSchedule["timing"] {
  const soon = () => new Date(timeline.wall + chance.between(2_000, 90_000)).toISOString();
  const kinds: NewSchedule["timing"][] = [
    { type: "once", runAt: soon() },
    { type: "interval", count: chance.between(1, 2), unit: "minutes" },
    { type: "cron", expression: "* * * * *" },
    { type: "daily", hour: chance.between(0, 23), minute: chance.between(0, 59) },
  ];
  return chance.of(kinds) ?? { type: "once", runAt: soon() };
}

export const createSchedule: Move = (world) => {
  const { chance, facts } = world;
  const scriptId = chance.of([...world.scripts]);
  const profileIds = chance.some(profiles(world), 2);
  if (scriptId === undefined || profileIds.length === 0 || schedules(world).length > 4) return;
  const asked: NewSchedule = {
    name: "S",
    scriptId,
    profileIds,
    enabled: chance.is(0.8),
    concurrency: 0,
    staggerMs: 0,
    timing: timing(world),
  };
  world.call("create a schedule", ({ scheduler }) => scheduler.create(asked), {
    // One of type once may have fired already.
    done: ({ id }) => facts.know(`schedule ${id}`, "on", "off"),
  });
};

export const turnSchedule: Move = (world) => {
  const scheduleId = world.chance.of(schedules(world));
  if (scheduleId === undefined) return;
  const enabled = world.chance.is(0.6);
  world.dueTimes.turned(scheduleId);
  world.call(`turn schedule ${scheduleId} ${enabled ? "on" : "off"}`, ({ scheduler }) =>
    scheduler.setEnabled({ scheduleId, enabled }),
  );
};

export const runNow: Move = (world) => {
  const scheduleId = world.chance.of(schedules(world));
  if (scheduleId === undefined) return;
  world.dueTimes.runAsked(scheduleId);
  world.call(`run schedule ${scheduleId} now`, ({ scheduler }) => scheduler.runNow({ scheduleId }), {
    done: ({ id }) => world.facts.know(`run ${id}`, "there"),
  });
};

export const deleteSchedule: Move = (world) => {
  const scheduleId = world.chance.of(schedules(world));
  if (scheduleId === undefined) return;
  world.call(`delete schedule ${scheduleId}`, ({ library }) => library.deleteSchedule({ scheduleId }), {
    changes: [[`schedule ${scheduleId}`, absent]],
  });
};
