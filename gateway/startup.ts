/** Starts the service: the actors, then the listeners. */
import { randomBytes } from "node:crypto";
import type { ServerResponse } from "node:http";
import { inBackground, logRejections } from "../actors/kernel/background.ts";
import { systemClock } from "../actors/kernel/clock.ts";
import { createLog, type Log, toStderr } from "../actors/kernel/log.ts";
import { createLogFile, type LogFile } from "../actors/kernel/log-file.ts";
import { readLevels } from "../actors/kernel/log-levels.ts";
import { settleZone } from "../actors/kernel/machine-zone.ts";
import { answer, gated } from "../actors/kernel/rpc.ts";
import { superviseActors } from "../actors/kernel/supervisor.ts";
import { startTaskPool } from "../actors/kernel/task-pool.ts";
import { createCapacityWord } from "../protocol/capacity-word.ts";
import { refuseNoDirectory } from "../protocol/file-kind.ts";
import { limits } from "../protocol/limits.ts";
import type { LibraryApi } from "../protocol/messages/library.ts";
import type { OperationsApi } from "../protocol/messages/operations.ts";
import type { PoolApi } from "../protocol/messages/pool.ts";
import type { RunsApi } from "../protocol/messages/runs.ts";
import type { SchedulerApi } from "../protocol/messages/scheduler.ts";
import { type ScriptTasks, waitingTasks } from "../protocol/messages/tasks.ts";
import type { Settings } from "../protocol/records.ts";
import { libraryPlan, plansBesideLibrary } from "./actor-plans.ts";
import { type Actors, connectActors } from "./actors.ts";
import { createApiSwitch } from "./api-switch.ts";
import { createAppApi } from "./app/app-api.ts";
import { listenForApp } from "./app/app-listener.ts";
import { callChecks } from "./app/call-checks.ts";
import { createEventStream } from "./app/events.ts";
import { answerLiveLog } from "./app/live-log.ts";
import { createLiveView } from "./app/live-view.ts";
import { createSessions } from "./app/sessions.ts";
import { createAppWindow } from "./app/window.ts";
import { createCdpAddress } from "./cdp/address.ts";
import { createEventHub } from "./events.ts";
import { openMembership } from "./fleet/member-file.ts";
import { openTokens } from "./gate/auth.ts";
import { createBudget } from "./gate/rate-limit.ts";
import { keepPagePort, lastPagePort, logDir, removeInstance, writeInstance } from "./instance.ts";
import { createLibraryCaches } from "./library-cache.ts";
import {
  browsersByMemory,
  browsersMax,
  displayOf,
  engineCacheDir,
  fewOpenFiles,
  findChromium,
  lacksInit,
  weightOf,
  weightsFile,
} from "./machine.ts";
import { createMcpHandler } from "./mcp/endpoint.ts";
import { createMetrics } from "./metrics.ts";
import { apiVersion, openapiDocument } from "./openapi.ts";
import { createRouter } from "./router.ts";
import { routes } from "./routes/all.ts";
import { createStop, type Stop, type Stopped } from "./stopping.ts";
import { useFitTempDir } from "./temp-dir.ts";
import { packageVersion } from "./version.ts";

/** Null leaves a value to the settings. */
export interface ServiceOptions {
  dataDir: string;
  /** For this process only. */
  apiOn: boolean;
  port: number | null;
  browsersMax: number | null;
  expensiveCallsMax: number | null;
  mint: string | null;
}

export interface Service {
  apiUrl: string | null;
  /** A link to the control page, valid once. */
  appUrl: string;
  token: string | null;
  actors: Actors;
  /** Opens the control page's window or brings it to the front. Throws `internal`. */
  showWindow(): Promise<"opened" | "raised">;
  /** Ends runs, browsers and storage within `limits.serviceStopMs`. A second call joins the first. */
  stop(): Promise<Stopped>;
  hurry(): void;
}

/**
 * `write` gets the lines of the log, which are also in a file. Throws `invalid` (TROUPE_LOG), `conflict` with `detail.code` `data-dir-locked`
 * when another service uses the data directory.
 */
export async function startService(options: ServiceOptions, write = toStderr): Promise<Service> {
  const { log, logFile, toBoth } = openLog(write);
  logRejections(log); // An unhandled rejection would end every browser.
  useFitTempDir(options.dataDir);
  settleZone(); // Before any thread starts, because a thread copies the environment.
  for (const lack of [lacksInit(), fewOpenFiles()]) if (lack !== null) log.warn(lack);
  const chromiumPath = findChromium();
  const { config: fleet, left: leftFleet } = openMembership(options.dataDir, chromiumPath);
  const byMemory = browsersByMemory(weightOf(weightsFile(options.dataDir)));
  let settings: Settings | null = null;
  const current = (): Settings => {
    if (settings === null) throw new TypeError("settings are read after the library has started");
    return settings;
  };
  const withFlags = (stored: Settings): Settings =>
    options.expensiveCallsMax === null ? stored : { ...stored, expensiveCallsMax: options.expensiveCallsMax };
  const poolMax = () => browsersMax(current(), options.browsersMax, byMemory);

  const ports: { own: number[] } = { own: [] };
  const capacityWord = createCapacityWord();
  const supervisor = await superviseActors([libraryPlan(options.dataDir)], log, systemClock, toBoth);
  logFile.open(logDir(options.dataDir)); // Not before the library has locked the data directory.
  createLog("gateway", logFile.write).info("the service starts", { pid: process.pid, node: process.version });
  const tasks = startTaskPool<ScriptTasks>(waitingTasks);
  const opened: Opened = { closeListeners: async () => {}, closeTokens: async () => {} };
  const caches = createLibraryCaches(engineCacheDir(options.dataDir));
  const closing = createStop({
    log,
    supervisor,
    closeListeners: () => opened.closeListeners(),
    closeRest: () => Promise.all([opened.closeTokens(), tasks.close(), caches?.stop()]),
  });
  try {
    refuseNoDirectory(engineCacheDir(options.dataDir));
    const libraryApi = supervisor.api<LibraryApi>("library");
    settings = withFlags(await libraryApi.readSettings({}));
    const ownPorts = () => ports.own;
    const { dataDir } = options;
    const libraryCacheDir = caches?.dir ?? null;
    const parts = { dataDir, chromiumPath, libraryCacheDir, capacityWord, poolMax, ownPorts, fleet };
    await supervisor.add(plansBesideLibrary(parts));
    const failed = (error: unknown) => log.error("a reader of events or logs could not be served", { error });
    const events = createEventHub(libraryApi, failed);
    const lasting = {
      library: libraryApi,
      pool: supervisor.api<PoolApi>("pool"),
      operations: supervisor.api<OperationsApi>("operations"),
      runs: supervisor.api<RunsApi>("runs"),
      scheduler: supervisor.api<SchedulerApi>("scheduler"),
      tasks: tasks.api,
      dataDir,
      isFleetHead: () => fleet()?.role === "head",
      events,
      metrics: createMetrics(events.listen, failed),
    };
    const actors = connectActors(lasting, capacityWord, failed);
    const settled = async (stored: Settings) => {
      settings = withFlags(stored);
      await actors.pool.setMax({ max: poolMax() });
    };
    const rest = { log, logFile, actors, opened, closing, ports, leftFleet };
    const service = await open({ options, ...rest, settings: current, settled });
    if (caches !== null) inBackground(log, "making the code cache of scripts", caches.make(chromiumPath));
    return service;
  } catch (error) {
    // Log this error, so that the caller gets the first one.
    await closing
      .abandon()
      .catch((error: unknown) => log.error("stopping after a failed start failed", { error }));
    await logFile.close();
    throw error;
  }
}

/** Throws `invalid` (TROUPE_LOG). */
function openLog(write: (text: string) => void) {
  readLevels(process.env.TROUPE_LOG ?? "");
  const refused = createLog("gateway", write);
  const logFile = createLogFile((why) => refused.warn(`the log is on stderr only: ${why}`));
  const toBoth = (text: string) => {
    write(text);
    logFile.write(text);
  };
  return { log: createLog("gateway", toBoth), logFile, toBoth };
}

interface Opened {
  closeListeners(): Promise<unknown>;
  closeTokens(): Promise<unknown>;
}

interface Parts {
  options: ServiceOptions;
  log: Log;
  logFile: LogFile;
  actors: Actors;
  opened: Opened;
  closing: Stop;
  /** The service's ports so far, for actors that are restarted. */
  ports: { own: number[] };
  settings(): Settings;
  settled(stored: Settings): Promise<void>;
  leftFleet(): void;
}

async function open(parts: Parts): Promise<Service> {
  const { options, log, actors, opened, closing, settings } = parts;
  const { dataDir } = options;
  const tokens = await openTokens(actors.library, log);
  const moved = () => {
    parts.ports.own = [app.url, api.url()].flatMap((url) => (url === null ? [] : Number(new URL(url).port)));
    // May fail while the service stops, when none needs it.
    for (const actor of [actors.runs, actors.operations])
      void actor.ownPorts({ ports: parts.ports.own }).catch(() => {});
  };
  const document = () => openapiDocument(routes, api.url() ?? "http://127.0.0.1");
  const invokes = { actors, budget: createBudget(), settings, document };
  const failed = (error: unknown) => log.error("a call failed", { error });
  const find = createRouter(routes);
  const mcp = createMcpHandler({ ...invokes, routes, version: apiVersion, failed });
  const cdp = createCdpAddress({ ...invokes, tokens });
  const api = createApiSwitch({ ...invokes, tokens, find, mcp, cdp }, log, moved);
  const secret = randomBytes(32).toString("base64url");
  const sessions = createSessions();
  const openUrl = () => `${app.url}${sessions.link()}`;
  const window = createAppWindow({ dataDir, openUrl });
  const appApi = createAppApi({
    actors,
    api,
    tokens,
    dataDir,
    settings,
    settled: parts.settled,
    openUrl,
    window,
    leftFleet: parts.leftFleet,
  });
  const appTable = gated(appApi, callChecks);
  const events = createEventStream([actors.library, actors.pool], failed);
  const liveView = createLiveView(actors, failed);
  const live = async (path: string, response: ServerResponse) =>
    liveView.answer(path, response) || answerLiveLog(actors.logs, path, response);
  const answerCall = (call: unknown) => answer(appTable, call, log);
  const app = await listenForApp(
    { ...invokes, answerCall, find, mcp, sessions, events, secret, live, log },
    lastPagePort(dataDir),
  );
  keepPagePort(dataDir, app.port);
  moved();
  opened.closeListeners = () => {
    for (const stream of [events, liveView, actors.logs, cdp, actors.events]) stream.close();
    return Promise.all([window.close(), app.close(500), api.off(limits.requestsGraceMs)]);
  };
  opened.closeTokens = () => tokens.close();
  const stop = async () => {
    try {
      return await closing.stop();
    } finally {
      removeInstance(dataDir);
      await parts.logFile.close();
    }
  };
  if (options.apiOn || settings().apiEnabled) await api.on(options.port ?? settings().apiPort);
  const token =
    options.mint === null ? null : (await appApi.mintToken({ name: options.mint, access: "write" })).token;
  writeInstance(dataDir, { pid: process.pid, url: app.url, secret, version: packageVersion() });
  const showWindow = () => window.show(displayOf());
  return { apiUrl: api.url(), appUrl: openUrl(), token, actors, showWindow, stop, hurry: closing.hurry };
}
