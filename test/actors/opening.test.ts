/** What a launch records, and that it closes its browser when the profile went to the trash meanwhile. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { createLog } from "../../actors/kernel/log.ts";
import { createOpening, type OpeningParts } from "../../actors/pool/opening.ts";
import { Fault } from "../../protocol/faults.ts";
import type { LaunchedProfile, ProfileSpec } from "../../protocol/profile-spec.ts";

const profileId = "7f0d2f4e-52f0-4b3c-9a37-000000000001";
const turn = () => new Promise<void>((resolve) => setImmediate(resolve));

const gone = async (): Promise<never> => {
  throw new Fault("not-found", `profile ${profileId} does not exist`);
};

/** Opens a profile with stand-ins; returns what happened, in order. */
async function opened(
  changed: Partial<OpeningParts["library"]> = {},
  launch: { joined?: boolean; diagnostic?: boolean; runId?: string; proxied?: boolean } = {},
): Promise<string[]> {
  const happened: string[] = [];
  const { joined = false, diagnostic = false, runId, proxied = false } = launch;
  const upstream = { host: "proxy.example", port: 8080 };
  const spec = { profileId, proxy: proxied ? { upstream } : null } as ProfileSpec;
  const noted = (what: string) => async () => {
    happened.push(what);
    return null;
  };
  const library: OpeningParts["library"] = {
    profileSpec: async () => ({ spec, idleTimeoutSecs: 1_800 }),
    runProfileSpec: async () => {
      happened.push("read for the run");
      return { spec, idleTimeoutSecs: 1_800 };
    },
    profileUsed: noted("used"),
    exitMeasured: async ({ host, port }) => {
      happened.push(`exit of ${host}:${port}`);
      return null;
    },
    ...changed,
  };
  const launches: OpeningParts["launches"] = {
    async launch({ read }) {
      if (joined) return { joined } as LaunchedProfile;
      const { options } = await read();
      happened.push(`launched, idle after ${options.idleTimeoutSecs} s`);
      return { diagnostic, exit: proxied ? {} : null } as LaunchedProfile;
    },
    stop: async () => void happened.push("stopped"),
  };
  const noFleet = { bringHome: () => Promise.reject(new Error("no profile is in a fleet")) };
  const open = createOpening({ library, launches, log: createLog("test", () => {}), runs: noFleet });
  const options = { diagnostic, headless: true, idleTimeoutSecs: null };
  await open({
    profileId,
    options,
    wait: false,
    warmRunner: null,
    ...(runId === undefined ? {} : { runId }),
  });
  await turn();
  return happened;
}

test("a launch uses the setting for the idle timeout, and records the use and the proxy's exit", async () => {
  const happened = await opened({}, { proxied: true });
  assert.deepEqual(happened, ["launched, idle after 1800 s", "used", "exit of proxy.example:8080"]);
});

test("a run's launch reads the profile for the run", async () => {
  const [first] = await opened({}, { runId: profileId });
  assert.equal(first, "read for the run");
});

test("a launch that joins a running browser records nothing", async () =>
  assert.deepEqual(await opened({}, { joined: true }), []));

test("the browser is closed when the profile was moved to the trash meanwhile", async () =>
  assert.equal((await opened({ profileUsed: gone })).at(-1), "stopped"));

test("the browser stays open when the library failed", async () => {
  const profileUsed = async (): Promise<never> => {
    throw new Fault("internal", "the library thread ended");
  };
  assert.deepEqual(await opened({ profileUsed }), ["launched, idle after 1800 s"]);
});

test("a diagnostic launch is not recorded, and is closed too", async () => {
  let read = 0;
  const profileSpec: OpeningParts["library"]["profileSpec"] = async () => {
    read += 1;
    if (read > 1) return gone();
    return { spec: { profileId, proxy: null } as ProfileSpec, idleTimeoutSecs: 0 };
  };
  assert.deepEqual(await opened({ profileSpec }, { diagnostic: true }), [
    "launched, idle after 0 s",
    "stopped",
  ]);
});

test("an unknown profile is a conflict", async () =>
  assert.rejects(opened({ profileSpec: gone }), { kind: "conflict", message: /does not exist/ }));
