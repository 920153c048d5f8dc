/** One launch of a browser up to its prepared first page, undone when it fails. */
import { join } from "node:path";
import { isWriteRefusal, systemFault } from "../../protocol/disk-fault.ts";
import { Fault } from "../../protocol/faults.ts";
import type { EngineConfig } from "../../protocol/messages/pool.ts";
import type { Launched, LaunchOptions, ProfileSpec } from "../../protocol/profile-spec.ts";
import { steppedBackNice } from "../kernel/process-priority.ts";
import { blockRequests } from "./blocked-requests.ts";
import { type Connection, connect } from "./cdp/connection.ts";
import { takeBlank } from "./chromium/blank.ts";
import { extensionSwitches, loadExtensions, refuseProxyChange } from "./chromium/extensions.ts";
import { fontsFileOf } from "./chromium/fonts.ts";
import { keepStorage } from "./chromium/keep-storage.ts";
import { forbidSpeculation } from "./chromium/preferences.ts";
import { type BrowserProcess, spawnBrowser } from "./chromium/process.ts";
import { type Program, sharedMemorySwitches } from "./chromium/program.ts";
import { schemesPathOn } from "./chromium/schemes.ts";
import { killBrowser, stopBrowser } from "./chromium/stop.ts";
import { environmentOf, switchesOf } from "./chromium/switches.ts";
import {
  claimUserDataDir,
  makeTemporaryDir,
  noteOwnLock,
  releaseUserDataDir,
  removeUserDataDir,
} from "./chromium/user-data.ts";
import { type Downloads, openDownloads } from "./downloads.ts";
import { openFront } from "./front/front.ts";
import { type AppliedIdentity, applyIdentity } from "./identity/apply-to-targets.ts";
import { type EngineFacts, engineFacts, knownFacts } from "./identity/engine.ts";
import { type Shown, shownOf } from "./identity/shown.ts";
import { uiLocaleOf } from "./identity/ui-locale.ts";
import { inTime, started, startFault, undoAll, unlessAborted, withLimit } from "./launch-limits.ts";
import { Tabs } from "./page/tabs.ts";
import { beginSession, keepSessionCookies } from "./session-cookies.ts";
import { keepWhileRunning, type SessionKeeper } from "./session-keeper.ts";

export interface OpenBrowser {
  launched: Launched;
  tabs: Tabs;
  downloads: Downloads;
  process: BrowserProcess;
  connection: Connection;
  settled(): Promise<void>;
  /** Checks the addresses that pages load from (identity/apply-to-targets.ts). Only with a device. */
  guardRequests: AppliedIdentity["guardRequests"] | undefined;
  /** Stops it; resolves when its process group has ended and its data is on disk. */
  close(): Promise<void>;
  /** Kills the rest of a browser that crashed or whose channel closed. */
  discard(): Promise<void>;
  /** Undoes the launch, and removes a directory made for it. */

  takeBack(): Promise<void>;
}

export interface LaunchInput {
  spec: ProfileSpec;
  options: LaunchOptions;
  engine: EngineConfig;
  onSpawned(pid: number): void;
  /** Called when the machine is too busy for the browser to start quickly. */
  onSlow?: () => void;
  signal: AbortSignal;
  /** Opened for a run: without a window it gets a lower priority than a browser that a caller waits for. */
  background?: boolean;
  /** Port of the bridge to the proxy; by default the browser connects directly. */
  proxyPort?: number;
}

type Undo = () => Promise<unknown>;

/** Opens the browser; resolves when the first page is prepared and cdpUrl accepts clients. Throws `conflict`, `internal` (disk error) or the signal's fault. */
export async function openBrowser(input: LaunchInput): Promise<OpenBrowser> {
  const undo: Undo[] = [];
  const takeBack = () => undoAll(undo);
  try {
    return { ...(await attempt(input, undo)), takeBack };
  } catch (error) {
    await takeBack();
    throw systemFault(error, input.spec.userDataDir);
  }
}

async function attempt(input: LaunchInput, undo: Undo[]): Promise<Omit<OpenBrowser, "takeBack">> {
  const { spec, options, engine } = input;
  const { diagnostic, block, extensions = [] } = options;
  const headless = options.headless || !engine.hasDisplay;
  const asked = factsFor(input);
  const preparing = Promise.all([
    preparedDir(input, undo, asked),
    asked,
    diagnostic ? null : inTime("its fonts' file", fontsFileOf(spec.os, engine.tempDir)),
    inTime("its shared memory", sharedMemorySwitches()),
  ]);
  const [userDataDir, facts, fontsFile, memorySwitches] = await unlessAborted(preparing, input.signal);
  const shown = await shownBy(input, facts);
  const program = facts?.program ?? { path: engine.chromiumPath, switches: [], env: {} };
  const process = spawned(input, { userDataDir, headless, shown, fontsFile, program, memorySwitches });
  const { pid, pipe } = process;
  const tidy = async () => {
    if (diagnostic) await removeUserDataDir(userDataDir);
    else await releaseUserDataDir(userDataDir, pid);
  };
  undo.push(async () => {
    await killBrowser(process);
    await tidy();
  });
  if (pipe === null) throw await startFault(process);
  input.onSpawned(pid);
  const noted = noteOwnLock(userDataDir, pid);
  const connection = connect(pipe.output, pipe.input);
  const launchEnds = connection.beginLaunch();
  undo.push(async () => connection.close());
  const tabs = new Tabs(connection, { hasWindow: !headless });
  // The first listener: its commands to a paused target must precede the one that resumes it.
  const firstTab = tabs.open(shown !== null);
  const identity = shown === null ? null : applyIdentity(connection, { shown, headless });
  // Failure is ignored: the browser may have ended, or cannot do it.
  const keepsSession = !diagnostic && spec.keepsSessionCookies === true;
  let keeper: SessionKeeper | null = null;
  const keepAll = async () => {
    if (diagnostic) return;
    await keeper?.close();
    if (keepsSession) await keepSessionCookies(connection.root, userDataDir).catch(() => {});
    identity?.newTabs.watch(); // Until the browser's end, since pages are closed now.
    await keepStorage(connection, process.workMs).catch(() => {});
  };
  const front = openFront({
    connection,
    settled: identity?.settled ?? (async () => {}),
    keepStorage: keepAll,
    clientWorkers: identity?.clientWorkers,
    downloadsDir: join(userDataDir, "Downloads"),
  });
  const closeFront = () =>
    front.then(
      ({ close }) => close(),
      () => {}, // `started` has thrown it.
    );
  undo.push(closeFront);
  const opened = openDownloads(connection, join(userDataDir, "Downloads"));
  const session = beginSession(connection.root, userDataDir, keepsSession);
  const blocking = block === undefined ? null : blockRequests(connection, block);
  const extended = loadExtensions(connection.root, extensions);
  const ready = Promise.all([front, opened, firstTab, identity?.first, noted, session, blocking, extended]);
  const [{ url: cdpUrl }, downloads] = await started(input, process, ready);
  launchEnds();
  if (keepsSession) keeper = keepWhileRunning(connection, userDataDir);
  return {
    downloads,
    launched: { cdpUrl, pid, headless, diagnostic, exit: null },
    tabs,
    process,
    connection,
    settled: identity?.settled ?? (async () => {}),
    guardRequests: identity?.guardRequests,
    async close() {
      tabs.dialogs.answerAll();
      await closeFront(); // Clients see the end, but not the steps towards it.
      await stopBrowser(process, async () => {
        await keepAll();
        await connection.root.send("Browser.close", {});
      });
      connection.close();
      await tidy();
    },
    async discard() {
      await killBrowser(process);
      connection.close();
      await closeFront();
      await tidy();
    },
  };
}

interface Prepared {
  userDataDir: string;
  headless: boolean;
  shown: Shown | null;
  fontsFile: string | null;
  program: Program;
  memorySwitches: string[];
}

function spawned({ spec, options, proxyPort, background }: LaunchInput, prepared: Prepared): BrowserProcess {
  if (proxyPort !== undefined) refuseProxyChange(options.extensions ?? []);
  const { userDataDir, headless, shown, fontsFile, program, memorySwitches } = prepared;
  const languages = options.diagnostic ? [] : spec.languages;
  const timezone = options.diagnostic ? null : spec.timezone;
  const device = shown && { userAgent: shown.userAgent, screen: shown.device.screen };
  const own = switchesOf({
    userDataDir,
    headless,
    asRoot: isRoot(),
    proxyPort: proxyPort ?? null,
    languages,
    device,
    more: options.extensions?.length ? extensionSwitches : [],
  });
  const env = { ...process.env, ...program.env };
  return spawnBrowser({
    chromiumPath: program.path,
    switches: [...program.switches, ...memorySwitches, ...own],
    env: environmentOf(env, {
      timezone,
      uiLocale: uiLocaleOf(languages),
      fontsFile,
      schemesPath: schemesPathOn(),
      crashDir: join(userDataDir, "Crash Reports"),
    }),
    nice: background && headless ? steppedBackNice() : 0,
  });
}

async function preparedDir(...of: Parameters<typeof directoryOf>): Promise<string> {
  const dir = await directoryOf(...of);
  await inTime("the preferences", forbidSpeculation(dir));
  return dir;
}

async function directoryOf(
  { spec, options, engine, signal }: LaunchInput,
  undo: Undo[],
  facts: Promise<EngineFacts | null>,
): Promise<string> {
  if (options.diagnostic) {
    const dir = await inTime("a temporary directory", makeTemporaryDir(engine.tempDir));
    undo.push(() => removeUserDataDir(dir));
    return dir;
  }
  const isNew = await inTime("the profile's directory", claimUserDataDir(spec.userDataDir));
  if (!isNew) return spec.userDataDir;
  undo.push(() => removeUserDataDir(spec.userDataDir));
  const known = await facts.catch(() => null); // If the launch needs the facts, it throws this error itself.
  signal.throwIfAborted();
  if (known !== null) await inTime("a blank directory", takeBlank(engine, known.version, spec.userDataDir));
  return spec.userDataDir;
}

async function factsFor({ spec, options, engine, signal }: LaunchInput): Promise<EngineFacts | null> {
  if (options.diagnostic || spec.fingerprint === null) return knownFacts(engine);
  return engineFacts(engine, signal).catch((error: unknown) => {
    signal.throwIfAborted();
    if (isWriteRefusal(error)) throw error;
    const why = withLimit(error instanceof Error ? error.message : String(error));
    throw new Fault("conflict", `engine failed to start: ${why}`);
  });
}

async function shownBy({ spec, options }: LaunchInput, facts: EngineFacts | null): Promise<Shown | null> {
  if (options.diagnostic || spec.fingerprint === null || facts === null) return null;
  return shownOf(spec, spec.fingerprint, facts);
}

function isRoot(): boolean {
  return process.getuid?.() === 0;
}
