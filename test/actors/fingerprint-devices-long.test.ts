/** Devices from the real generator are coherent, different and fast; and devices from exhausted sources. */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { chooseDevices, type DeviceSource } from "../../actors/fingerprint/choose.ts";
import { incoherences } from "../../actors/fingerprint/coherence.ts";
import { deviceKey } from "../../actors/fingerprint/device-key.ts";
import { startTaskPool } from "../../actors/kernel/task-pool.ts";
import { deviceSource } from "../../actors/tasks/device-samples.ts";
import { limits } from "../../protocol/limits.ts";
import type { TasksApi } from "../../protocol/messages/tasks.ts";
import { goodSamples, linuxHost, windowsHost } from "./good-samples.ts";

const systems = ["windows", "macos", "linux"] as const;
const createBudgetMs = 2_000;
const count = limits.profilesPerCreateMax;

describe("sampled devices", () => {
  const asked = [
    { os: "windows", host: linuxHost, count: 250 },
    { os: "macos", host: linuxHost, count: 250 },
    // Fewer combinations exist for the host's own system, because all have its graphics.
    { os: "linux", host: linuxHost, count: 500 },
    { os: "windows", host: windowsHost, count: 150 },
  ] as const;
  for (const { os, host, count } of asked) {
    test(`${count} of ${os} on a ${host.os} host are coherent and different`, async () => {
      const devices = chooseDevices({ os, count, host, taken: [] }, await deviceSource());
      assert.equal(new Set(devices.map(deviceKey)).size, count);
      assert.deepEqual(
        devices.flatMap((device) => incoherences(device, os, host)),
        [],
      );
      assert.ok(devices.every((device) => (device.gpu === null) === (os === host.os)));
      const kinds = (of: (device: (typeof devices)[number]) => unknown) => new Set(devices.map(of)).size;
      assert.ok(kinds(({ screen }) => `${screen.width}x${screen.height}`) >= 10);
      assert.ok(kinds((device) => device.hardwareConcurrency) >= 6);
    });
  }

  test("of one call differ from those of earlier calls", async () => {
    const source = await deviceSource();
    const taken: string[] = [];
    for (let call = 0; call < 6; call++) {
      const devices = chooseDevices({ os: "linux", count, host: linuxHost, taken }, source);
      taken.push(...devices.map(deviceKey));
    }
    assert.equal(new Set(taken).size, 6 * count);
  });

  test("are chosen on a task thread, 50 in less than 2 s, including the unpacking of the data", async (t) => {
    const tasks = startTaskPool<TasksApi>();
    t.after(() => tasks.close());
    for (const os of systems) {
      const from = performance.now();
      const cpu = process.cpuUsage();
      const { devices } = await tasks.api.sampleDevices({ os, count, host: linuxHost, taken: [] });
      const { user, system } = process.cpuUsage(cpu);
      const [tookMs, cpuMs] = [performance.now() - from, (user + system) / 1_000];
      assert.equal(new Set(devices.map(deviceKey)).size, count);
      t.diagnostic(`${count} ${os} devices: ${tookMs.toFixed(0)} ms, ${cpuMs.toFixed(0)} of the processor`);
      // CPU time, because other load on the machine does not count.
      assert.ok(cpuMs < createBudgetMs, `${count} ${os} devices took ${cpuMs.toFixed(0)} ms`);
    }
  });
});

const monotonous: DeviceSource = { draw: (os) => goodSamples[os], random: () => 0 };

describe("a source that always returns the same machine", () => {
  test("gives variants with another processor or other bars", () => {
    const devices = chooseDevices({ os: "linux", count: 50, host: linuxHost, taken: [] }, monotonous);
    assert.equal(new Set(devices.map(deviceKey)).size, 50);
    assert.deepEqual(
      devices.flatMap((device) => incoherences(device, "linux", linuxHost)),
      [],
    );
  });
  test("repeats other profiles' devices before it gives none", () => {
    const [device] = chooseDevices({ os: "macos", count: 1, host: linuxHost, taken: [] }, monotonous);
    assert.ok(device);
    const all = [8, 10].map((hardwareConcurrency) => deviceKey({ ...device, hardwareConcurrency }));
    const wish = { os: "macos", host: linuxHost, taken: all } as const;
    assert.equal(chooseDevices({ ...wish, count: 2 }, monotonous).length, 2);
  });
  test("is sampled 200 times before a device is repeated", () => {
    const [device] = chooseDevices({ os: "macos", count: 1, host: linuxHost, taken: [] }, monotonous);
    assert.ok(device);
    const taken = [8, 10].map((hardwareConcurrency) => deviceKey({ ...device, hardwareConcurrency }));
    const { screen } = goodSamples.macos;
    const other = {
      ...goodSamples.macos,
      screen: { ...screen, width: 1728, availWidth: 1728, height: 1117, availHeight: 1084 },
    };
    for (const [draws, isNew] of [
      [199, true],
      [201, false],
    ] as const) {
      let drawn = 0;
      const source: DeviceSource = {
        ...monotonous,
        draw: (os) => (drawn++ < draws ? goodSamples[os] : other),
      };
      const [chosen] = chooseDevices({ os: "macos", count: 1, host: linuxHost, taken }, source);
      assert.equal(chosen !== undefined && !taken.includes(deviceKey(chosen)), isNew);
    }
  });
  test("is abandoned when it is exhausted", () => {
    const wish = { os: "macos", count: 3, host: linuxHost, taken: [] } as const;
    assert.throws(() => chooseDevices(wish, monotonous), {
      kind: "internal",
      message: /only 2 different macos/,
    });
  });
});
