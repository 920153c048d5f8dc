/** A real library, and stand-ins for the task threads and the pool, which notes what it is asked. */
import type { TestContext } from "node:test";
import { MessageChannel } from "node:worker_threads";
import { type Clock, systemClock } from "../../../actors/kernel/clock.ts";
import { serveApi } from "../../../actors/kernel/rpc.ts";
import type { PortLike } from "../../../actors/kernel/wire.ts";
import type { Library } from "../../../actors/library/library.ts";
import { createOperations } from "../../../actors/operations/operations.ts";
import type { Checks } from "../../../protocol/messages/checks.ts";
import type { OperationsApi } from "../../../protocol/messages/operations.ts";
import type { PoolApi } from "../../../protocol/messages/pool.ts";
import type { ProfilePageApi } from "../../../protocol/messages/profile.ts";
import type { ProfileTasks } from "../../../protocol/messages/tasks.ts";
import type { LaunchedProfile, LiveProfile } from "../../../protocol/profile-spec.ts";
import type { Capacity } from "../../../protocol/records.ts";
import { plainDevices } from "../devices.ts";
import { openLibrary } from "../library.ts";
import { exitIn } from "../proxy-pools.ts";

type Cookies = Pick<ProfilePageApi, "readCookies" | "writeCookies">;

export interface StandInPool {
  /** Has only the methods that operations call. */
  api: PoolApi;
  /** What was asked, in order. */
  asked: string[];
  /** Ids of running profiles. */
  running: Set<string>;
  queued: number;
  touches: number;
}

const cookieChecks: Checks<Cookies> = {
  readCookies: () => ({}),
  writeCookies: (input) => input as Parameters<Cookies["writeCookies"]>[0],
};
const log = { debug() {}, info() {}, warn() {}, error() {} };

export function standInPool(page: Partial<Cookies> = {}): StandInPool {
  const cookies: Cookies = {
    readCookies: async () => ({ cookies: [] }),
    writeCookies: async () => ({ refused: [] }),
    ...page,
  };
  const api: Pick<PoolApi, "capacity" | "live" | "launch" | "stop" | "cancelWait" | "connect" | "touch"> = {
    capacity: async () => ({ queued: pool.queued }) as Capacity,
    live: async () => [...pool.running].map((profileId) => ({ profileId, status: "running" }) as LiveProfile),
    async launch({ profileId, options, join }) {
      if (join && pool.running.has(profileId)) return { joined: true } as LaunchedProfile;
      pool.asked.push(`launch ${profileId}${options.headless ? " without a window" : ""}`);
      pool.running.add(profileId);
      return {} as LaunchedProfile;
    },
    async stop({ profileId }) {
      pool.asked.push(`stop ${profileId}`);
      pool.running.delete(profileId);
      return null;
    },
    async cancelWait({ profileId }) {
      pool.asked.push(`cancel ${profileId}`);
      return null;
    },
    async touch() {
      pool.touches += 1;
      return null;
    },
    async connect({ profileId }) {
      const { port1, port2 } = new MessageChannel();
      port1.once("close", () => pool.asked.push(`disconnected ${profileId}`));
      serveApi(port1 as PortLike, cookies, cookieChecks, { log });
      return { port: port2, debuggingPorts: [] };
    },
  };
  const pool: StandInPool = { api: api as PoolApi, asked: [], running: new Set(), queued: 0, touches: 0 };
  return pool;
}

export interface TestOperations {
  operations: OperationsApi;
  library: Library;
  pool: StandInPool;
}

export async function openOperations(
  t: TestContext,
  {
    tasks = {},
    pool = standInPool(),
    clock = systemClock,
  }: { tasks?: Partial<ProfileTasks>; pool?: StandInPool; clock?: Clock } = {},
): Promise<TestOperations> {
  const { library } = await openLibrary(t);
  const operations = createOperations({
    chromiumPath: "chromium",
    ownPorts: [],
    log,
    clock,
    library,
    pool: pool.api,
    tasks: {
      readOrigins: async () => ({ origins: [] }),
      writeOrigins: async () => null,
      sampleDevices: async ({ count }) => ({ devices: plainDevices(count) }),
      measureExits: async ({ upstreams }) => ({
        measurements: upstreams.map(() => exitIn("FR", "Europe/Paris")),
      }),
      ...tasks,
    },
    host: { os: "macos", architecture: "arm" },
  });
  return { operations, library, pool };
}
