/** Facts that only the installed engine knows, read from a stock browser once per version and cached in a file. */
import { mkdir, mkdtemp, readlink, rm, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { limits } from "../../../protocol/limits.ts";
import type { EngineConfig } from "../../../protocol/messages/pool.ts";
import { makeDirs } from "../../kernel/make-dir.ts";
import { readRegularFile } from "../../kernel/regular-file.ts";
import { replaceFile } from "../../kernel/replace-file.ts";
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
  version: string;
  /** `navigator.userAgentData.brands`, in the engine's order. */
  brands: Brand[];
  fullVersionList: Brand[];
  /** `Mozilla/5.0 (…) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/156.0.0.0 Safari/537.36`. */
  userAgent: string;
  platform: string;
  /** Directory of the translations; null when unknown. */
  localesDir: string | null;
  /** The program behind a wrapper script; null without a wrapper, or when the wrapper is needed. */
  program: Program | null;
}

interface Kept {
  key: string;
  facts: EngineFacts;
}

const fileName = "engine.json";
const probeMs = 20_000;
const lookMs = 20;
const endMs = 500;

/** The engine's facts, from the cache or from a browser started for it. Threads share one answer. Throws if the engine does not start. */
export async function engineFacts(
  engine: EngineConfig,
  signal = new AbortController().signal,
): Promise<EngineFacts> {
  const key = await inTime("the browser's program", keyOf(engine.chromiumPath));
  const file = fileOf(engine);
  const dir = dirname(file);
  const kept = await readKept(file, key);
  if (kept !== null) return kept;
  await makeDirs(dir);
  const lock = `${file}.lock`;
  const until = Date.now() + probeMs;
  for (;;) {
    const mine = await mkdir(lock).then(
      () => true,
      (error: unknown) => {
        if (error instanceof Error && "code" in error && error.code === "EEXIST") return false;
        throw error;
      },
    );
    if (mine || Date.now() > until) break; // The owner of the lock must have died.
    signal.throwIfAborted();
    await new Promise((resolve) => setTimeout(resolve, lookMs));
    const known = await readKept(file, key);
    if (known !== null) return known;
  }
  try {
    const known = await readKept(file, key);
    if (known !== null) return known;
    const facts = await probe(engine, signal);
    const kept = JSON.stringify({ key, facts } satisfies Kept);
    await replaceFile(file, (draft) => writeFile(draft, kept));
    return facts;
  } finally {
    await rm(lock, { recursive: true, force: true });
  }
}

/** Packages replace the wrapper with the program. The number is the format version of this file and of the blank pattern. */
async function keyOf(chromiumPath: string): Promise<string> {
  return `3 ${await wrapperKey(chromiumPath)}`;
}

/** The cached facts; null when there are none. */
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
    const kept: Kept = JSON.parse(text.toString()); // The key shows that we wrote it completely.
    return kept.key === key ? kept.facts : null;
  } catch {
    return null;
  }
}

/** Runs on a page of the browser: `userAgentData` needs a secure context, which `about:blank` is not. */
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
  await makeDirs(engine.tempDir);
  const dir = await mkdtemp(join(engine.tempDir, "engine-"));
  const userDataDir = join(dir, "data");
  const asRoot = process.getuid?.() === 0;
  const switches = switchesOf({ userDataDir, headless: true, asRoot });
  const { chromiumPath } = engine;
  // Not in `userDataDir`, which becomes the pattern: all profiles would share the crash client's id.
  const env = environmentOf(process.env, { timezone: null, crashDir: join(dir, "Crash Reports") });
  const browser = spawnBrowser({ chromiumPath, switches, env });
  // Kill the browser before the aborted launch returns.
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
    // The directory becomes the pattern of blank ones. Without it, first launches are only slower.
    await stopBrowser(browser, () => connection.root.send("Browser.close", {}));
    connection.close();
    await keepPattern(engine, answer.value.version, userDataDir).catch(() => {});
    const localesDir = executed === null ? null : join(dirname(executed), "locales");
    return { ...answer.value, localesDir, program };
  } catch (error) {
    // The channel closes before the exit is known, and stderr ends later.
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
  if (session === undefined) throw new Error("chrome://version was closed");
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
