/** Creating profiles: whose devices they show, and what is measured. */
import assert from "node:assert/strict";
import { test } from "node:test";
import type { ProfileTasks } from "../../../protocol/messages/tasks.ts";
import { plainDevices } from "../devices.ts";
import { createProfiles } from "../library.ts";
import { createPool, exitIn } from "../proxy-pools.ts";
import { openOperations } from "./stand-ins.ts";

const wanted = { nameTemplate: "P {n}", os: null, tags: [] };

test("devices are sampled for this machine and its system, and unlike those in use", async (t) => {
  const asked: Parameters<ProfileTasks["sampleDevices"]>[0][] = [];
  const { operations, library } = await openOperations(t, {
    tasks: {
      async sampleDevices(input) {
        asked.push(input);
        return { devices: plainDevices(input.count) };
      },
    },
  });
  await operations.createProfiles({ ...wanted, count: 1 });
  const { keys } = await library.takenDevices({ os: "macos" });
  assert.equal(keys.length, 1);
  await operations.createProfiles({ ...wanted, count: 2, os: "windows" });
  await operations.createProfiles({ ...wanted, count: 1 });
  const host = { os: "macos", architecture: "arm" };
  assert.deepEqual(asked, [
    { os: "macos", count: 1, host, taken: [] },
    { os: "windows", count: 2, host, taken: [] },
    { os: "macos", count: 1, host, taken: keys },
  ]);
});

test("when other profiles take the measured proxies, the next ones are measured, and each only once", async (t) => {
  const measured: string[] = [];
  let meanwhile = async () => {};
  const { operations, library } = await openOperations(t, {
    tasks: {
      async measureExits({ upstreams }) {
        measured.push(...upstreams.map(({ host }) => host));
        await meanwhile();
        return { measurements: upstreams.map(() => exitIn("FR", "Europe/Paris")) };
      },
    },
  });
  const [profileId = ""] = await createProfiles(library, 1);
  const poolId = await createPool(library, 2);
  meanwhile = async () => {
    meanwhile = async () => {};
    await library.assignProxyPool({ poolId, profileIds: [profileId], force: false });
  };
  const { created } = await operations.createProfiles({ ...wanted, count: 1, proxyPoolId: poolId });
  assert.deepEqual(
    created.map(({ proxy_slot, timezone }) => [proxy_slot, timezone]),
    [[1, "Europe/Paris"]],
  );
  assert.deepEqual(measured, ["proxy-0.example", "proxy-1.example"]);
});
