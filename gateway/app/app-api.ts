/** Implements AppApi: what the control page and the command line do on the user's behalf. */
import type { AppApi } from "../../protocol/messages/app.ts";
import type { Settings } from "../../protocol/records.ts";
import type { Actors } from "../actors.ts";
import { type ApiSwitch, switchOnForGood } from "../api-switch.ts";
import { filterOf } from "../events.ts";
import type { Tokens } from "../gate/auth.ts";
import { checkConcurrency } from "../routes/concurrency.ts";
import { dslCalls } from "./dsl-scripts.ts";
import { profileCalls } from "./profile-calls.ts";
import { scriptCalls } from "./raw-scripts.ts";
import type { AppWindow } from "./window.ts";

export interface AppContext {
  actors: Actors;
  api: ApiSwitch;
  tokens: Tokens;
  dataDir: string;
  settings(): Settings;
  /** Applies changed settings to the gate, the pool and the other actors. */
  settled(settings: Settings): Promise<void>;
  openUrl(): string;
  window: Pick<AppWindow, "show">;
  /** This machine is in no fleet any more. */
  leftFleet(): void;
}

const offGraceMs = 2_000;

export function createAppApi(context: AppContext): AppApi {
  const { actors, api, tokens } = context;
  const { library, pool, operations } = actors;
  const startedAt = Date.now();
  return {
    async status() {
      const { active, max, queued, memory_short: memoryShort } = await pool.capacity({});
      return {
        pid: process.pid,
        apiUrl: api.url(),
        active,
        max,
        queued,
        memoryShort,
        uptimeSecs: Math.round((Date.now() - startedAt) / 1000),
        dataDir: context.dataDir,
        timezone: Intl.DateTimeFormat().resolvedOptions().timeZone,
      };
    },
    async openLink() {
      return { url: context.openUrl() };
    },
    showWindow: async ({ display }) => ({ window: await context.window.show(display) }),
    async recentEvents({ profileId, types, limit }) {
      const passes = filterOf(profileId === null ? {} : { profile_id: profileId }, types);
      const [newest] = await actors.events.recent(() => true, null, 1);
      const events = await actors.events.recent(passes, null, limit);
      return { events, after: Math.max(newest?.id ?? 0, events.at(-1)?.id ?? 0) };
    },
    async apiOn({ port }) {
      const { url, settings } = await switchOnForGood(api, library, context.settings(), port);
      await context.settled(settings);
      return { apiUrl: url };
    },
    async apiOff() {
      await api.off(offGraceMs);
      await context.settled(await library.changeSettings({ settings: { apiEnabled: false } }));
      return null;
    },
    async mintToken(input) {
      const minted = await library.mintToken(input);
      await tokens.reload();
      return minted;
    },
    listTokens: (input) => library.listTokens(input),
    async revokeToken(input) {
      await library.revokeToken(input);
      await tokens.reload();
      return null;
    },
    ...scriptCalls(actors),
    ...dslCalls(actors),
    ...profileCalls(actors),
    async startBatch(input) {
      await checkConcurrency(actors, input.concurrency);
      return actors.runs.start({ ...input, batch: true, source: "app", scheduleId: null, placement: "auto" });
    },
    fleetStatus: (input) => actors.runs.fleetStatus(input),
    drainMachine: (input) => actors.runs.drainMachine(input),
    async leaveFleet(input) {
      const leaving = await actors.runs.leaveFleet(input);
      if (leaving.left) context.leftFleet();
      return leaving;
    },
    createRotatingPool: (input) => library.createRotatingPool(input),
    listProxies: (input) => operations.listProxies(input),
    testProxies: (input) => operations.testProxies(input),
    deleteSchedule: (input) => library.deleteSchedule(input),
    backup: (input) => operations.backup(input),
    addExtension: (input) => library.addExtension(input),
    removeExtension: (input) => library.removeExtension(input),
    listExtensions: (input) => library.listExtensions(input),
    readSettings: (input) => library.readSettings(input),
    async changeSettings(input) {
      const settings = await library.changeSettings(input);
      await context.settled(settings);
      return settings;
    },
  };
}
