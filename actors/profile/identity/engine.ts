/** What only the installed engine knows of itself: read from a stock browser once for each of its versions, and kept in a file. */
import { mkdir, mkdtemp, readlink, rename, rm, rmdir, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { limits } from "../../../protocol/limits.ts";
import type { EngineConfig } from "../../../protocol/messages/pool.ts";
import { readRegularFile } from "../../kernel/regular-file.ts";
import { connect } from "../cdp/connection.ts";
import type { CdpSession } from "../cdp/session.ts";
import { keepPattern } from "../chromium/blank.ts";
import { spawnBrowser } from "../chromium/process.ts";
import { type Program, programBehind, wrapperKey } from "../chromium/program.ts";
import { killBrowser, stopBrowser } from "../chromium/stop.ts";
import { environmentOf, switchesOf } from "../chromium/switches.ts";
import { inTime } from "../launch-limits.ts";
import { patiently } from "../patience.ts";
import { within } from "../within.ts";

export interface Brand {
  brand: string;
  version: string;
}

export interface EngineFacts {
  /** As `156.0.8078.79`. */
  version: string;
  /** `navigator.userAgentData.brands`, in the engine's own order. */
  brands: Brand[];
  fullVersionList: Brand[];
  /** What it calls itself in the user agent: `Mozilla/5.0 (…) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/156.0.0.0 Safari/537.36`. */
  userAgent: string;
  /** `navigator.platform` as this machine has it. */
  platform: string;
  /** Where its translations lie; null where that is not known. */
  localesDir: string | null;
  /** What the path leads to when it is a wrapper's; null: it is the program itself, or must go through the wrapper. */
  program: Program | null;
}

interface Kept {
  /** Another program at the path, or the same one updated, has another. */
  key: string;
  facts: EngineFacts;
}

const fileName = "engine.json";
const probeMs = 20_000;
const lookMs = 20;
const endMs = 500;

/**
 * The facts of the engine at `chromiumPath`: from the file in its cache directory, or from a browser that is started for the
 * question. Threads that ask at once wait for one answer. Throws when the engine does not start.
 */
export async function engineFacts(
  engine: EngineConfig,
  signal = new AbortController().signal,
): Promise<EngineFacts> {
  const key = await inTime("the browser's program", keyOf(engine.chromiumPath));
  const file = fileOf(engine);
  const dir = dirname(file);
  const kept = await readKept(file, key);
  if (kept !== null) return kept;
  await mkdir(dir, { recursive: true, mode: 0o700 });
  const lock = `${file}.lock`;
  const until = Date.now() + probeMs;
  for (;;) {
    const mine = await mkdir(lock).then(
      () => true,
      () => false,
    );
    if (mine || Date.now() > until) break; // Whoever held it for that long has died.
    signal.throwIfAborted();
    await new Promise((resolve) => setTimeout(resolve, lookMs));
    const known = await readKept(file, key);
    if (known !== null) return known;
  }
  try {
    const known = await readKept(file, key);
    if (known !== null) return known;
    const facts = await probe(engine, signal);
    const next = await mkdtemp(join(dir, "engine-"));
    await writeFile(join(next, fileName), JSON.stringify({ key, facts } satisfies Kept));
    await rename(join(next, fileName), file);
    await rmdir(next);
    return facts;
  } finally {
    await rm(lock, { recursive: true, force: true });
  }
}

/** A distribution replaces what its wrapper script starts, and dates the script anew with it. The number is this file's form, and the pattern's. */
async function keyOf(chromiumPath: string): Promise<string> {
  return `3 ${await wrapperKey(chromiumPath)}`;
}

/** The facts as they are kept; null when nobody has asked for them. */
export async function knownFacts(engine: EngineConfig): Promise<EngineFacts | null> {
  return inTime(
    "the engine's facts",
    keyOf(engine.chromiumPath).then((key) => readKept(fileOf(engine), key)),
  );
}

function fileOf(engine: EngineConfig): string {
  return join(engine.cacheDir ?? engine.tempDir, fileName);
}

async function readKept(file: string, key: string): Promise<EngineFacts | null> {
  const text = await readRegularFile(file);
  if (text === null) return null;
  try {
    const kept: Kept = JSON.parse(text.toString()); // Written whole by us; anything else has no such key.
    return kept.key === key ? kept.facts : null;
  } catch {
    return null;
  }
}

/** Read on a page of the browser's own: `userAgentData` is for secure contexts only, and `about:blank` is none. */
const question = `(async () => {
  const hints = await navigator.userAgentData.getHighEntropyValues(["fullVersionList", "uaFullVersion"]);
  return {
    version: hints.uaFullVersion,
    brands: hints.brands,
    fullVersionList: hints.fullVersionList,
    userAgent: navigator.userAgent.replace("HeadlessChrome", "Chrome"),
    platform: navigator.platform,
  };
})()`;

async function probe(engine: EngineConfig, signal: AbortSignal): Promise<EngineFacts> {
  await mkdir(engine.tempDir, { recursive: true, mode: 0o700 });
  const dir = await mkdtemp(join(engine.tempDir, "engine-"));
  const userDataDir = join(dir, "data");
  const asRoot = process.getuid?.() === 0;
  const switches = switchesOf({ userDataDir, headless: true, asRoot });
  const { chromiumPath } = engine;
  // Not in its directory, which is the pattern of those of profiles: what numbers its dumps would be the same in all of them.
  const env = environmentOf(process.env, { timezone: null, crashDir: join(dir, "Crash Reports") });
  const browser = spawnBrowser({ chromiumPath, switches, env });
  // Killed at once, it has ended before the launch that waits for it is given up.
  const kill = () => browser.signal("SIGKILL");
  signal.addEventListener("abort", kill, { once: true });
  if (signal.aborted) kill();
  try {
    if (browser.pipe === null) throw new Error("it did not start");
    const connection = connect(browser.pipe.output, browser.pipe.input);
    connection.beginLaunch();
    const asked = ask(connection.root, (id) => connection.session(id));
    const answer = await patiently(asked, browser.workMs, {
      ...limits.launchPatience,
      usualMs: probeMs,
    });
    const executed = await readlink(`/proc/${browser.pid}/exe`).catch(() => null);
    const program = await programBehind({ pid: browser.pid, chromiumPath, switches, env: process.env });
    if ("late" in answer) throw new Error(`${answer.late}: ${browser.lastWords()}`);
    // What it leaves is the pattern of blank directories; without one, first launches are slower and no more.
    await stopBrowser(browser, () => connection.root.send("Browser.close", {}));
    connection.close();
    await keepPattern(engine, answer.value.version, userDataDir).catch(() => {});
    const localesDir = executed === null ? null : join(dirname(executed), "locales");
    return { ...answer.value, localesDir, program };
  } catch (error) {
    // Its channel closes a moment before it is known how it ended, and its last words come later still.
    const end = await within(browser.ended, endMs);
    if (end === null) throw error;
    await within(browser.drained, endMs);
    throw new Error(`${end.value.how}: ${browser.lastWords()}`);
  } finally {
    signal.removeEventListener("abort", kill);
    await killBrowser(browser);
    await rm(dir, { recursive: true, force: true, maxRetries: 10, retryDelay: 20 });
  }
}

async function ask(
  root: CdpSession,
  sessionOf: (id: string) => CdpSession | undefined,
): Promise<Omit<EngineFacts, "localesDir" | "program">> {
  const { targetId } = await root.send("Target.createTarget", { url: "chrome://version" });
  const { sessionId } = await root.send("Target.attachToTarget", { targetId, flatten: true });
  const session = sessionOf(sessionId);
  if (session === undefined) throw new Error("the page of the browser's own version was closed");
  const loaded = new Promise((resolve) => session.on("Page.loadEventFired", resolve));
  await session.send("Page.enable", {});
  const state = { expression: "document.readyState === 'complete' && isSecureContext", returnByValue: true };
  if ((await session.send("Runtime.evaluate", state)).result.value !== true) await loaded;
  const { result, exceptionDetails } = await session.send("Runtime.evaluate", {
    expression: question,
    awaitPromise: true,
    returnByValue: true,
  });
  if (exceptionDetails !== undefined) throw new Error(exceptionDetails.exception?.description ?? "no facts");
  return result.value;
}
