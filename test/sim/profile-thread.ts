/** A fake profile thread, which opens, drives and loses one browser after another. */
import type { MessagePort } from "node:worker_threads";
import { serveApi } from "../../actors/kernel/rpc.ts";
import type { PortLike } from "../../actors/kernel/wire.ts";
import { pageChecks } from "../../actors/profile/callers.ts";
import { Fault } from "../../protocol/faults.ts";
import { limits } from "../../protocol/limits.ts";
import type { ProfileControlApi, ProfileNotice } from "../../protocol/messages/profile.ts";
import type { ProfileSpec } from "../../protocol/profile-spec.ts";
import { createScripts, type Script, type ScriptParts } from "./scripts.ts";
import type { ThreadLife } from "./threads.ts";
import type { Life } from "./timeline.ts";

export interface BrowserProcess {
  pid: number;
  profileId: string;
  pool: Life;
  alive: boolean;
  crash(): void;
}

export interface ProfileParts extends ScriptParts {
  life: ThreadLife;
  notify(notice: ProfileNotice): void;
  spawn(spec: ProfileSpec, ended: () => void): BrowserProcess;
  held(spec: ProfileSpec): boolean;
  end(pid: number): void;
}

export function createProfile(parts: ProfileParts): ProfileControlApi {
  const { timeline, chance, manners, notify, life } = parts;
  let phase: "waiting" | "starting" | "running" | "ending" = "waiting";
  let browser: BrowserProcess | null = null;
  let abort = (_: Fault): void => {};
  let ended: Promise<void> = Promise.resolve();
  let scripts: Script[] = [];
  const callers: MessagePort[] = [];
  const pause = (ms: number) => new Promise<void>((resolve) => timeline.after(ms, resolve));
  const log = { debug() {}, info() {}, warn() {}, error() {} };

  const end = (status: "stopped" | "crashed", closeMs: number): Promise<void> => {
    if (phase === "ending") return ended;
    phase = "ending";
    notify({ notice: "browser-ending" });
    for (const script of scripts.splice(0)) script.lose(new Fault("conflict", `the browser ${status}`));
    ended = pause(closeMs).then(() => {
      if (browser !== null) parts.end(browser.pid);
      notify({ notice: "browser-ended", status, reason: "simulated" });
      if (status === "stopped" && chance.is(0.5)) leave();
      else timeline.after(0, () => life.exit(0));
    });
    return ended;
  };
  const leave = () => {
    for (const port of callers.splice(0)) port.close();
    phase = "waiting";
    browser = null;
    notify({ notice: "vacant" });
  };
  const page = createScripts(parts, {
    profileId: () => browser?.profileId ?? "",
    running: () => phase === "running",
    begin: (script) => scripts.push(script),
    over: (script) => {
      scripts = scripts.filter((other) => other !== script);
    },
    scripts: () => scripts,
  });
  const started = async (spec: ProfileSpec): Promise<BrowserProcess> => {
    await pause(chance.span(30));
    if (parts.held(spec)) throw new Fault("conflict", "the user data directory is held by another browser");
    const spawned = parts.spawn(spec, () => void end("crashed", 5));
    browser = spawned;
    notify({ notice: "browser-spawned", pid: spawned.pid });
    if (chance.is(manners.hungLaunches)) await new Promise(() => {});
    await pause(
      chance.is(manners.slowLaunches) ? chance.between(5_000, 44_000) : chance.span(manners.launchMs),
    );
    if (chance.is(manners.failingLaunches)) throw new Fault("conflict", "the engine failed to start");
    if (chance.is(manners.crashes)) timeline.after(chance.span(20_000), spawned.crash);
    return spawned;
  };
  return {
    async launch({ spec, options }) {
      if (phase !== "waiting") throw new Fault("conflict", "already running");
      phase = "starting";
      const aborted = new Promise<never>((_, reject) => {
        abort = reject;
      });
      aborted.catch(() => {});
      const late = pause(limits.launchPatience.usualMs).then(() => {
        throw new Fault("conflict", "the engine did not answer in time");
      });
      late.catch(() => {});
      try {
        const { pid } = await Promise.race([started(spec), aborted, late]);
        phase = "running";
        if (options.idleTimeoutSecs > 0) void keepAwake(options.idleTimeoutSecs);
        const { headless, diagnostic } = options;
        return { cdpUrl: `http://127.0.0.1:${pid}`, pid, headless, diagnostic, exit: null };
      } catch (error) {
        phase = "ending";
        await pause(chance.span(100));
        if (browser !== null) parts.end(browser.pid);
        timeline.after(0, () => life.exit(0));
        throw error;
      }
    },
    async stop() {
      if (phase === "starting") abort(new Fault("conflict", "stopped while it was starting"));
      if (phase === "running" || phase === "ending") await end("stopped", chance.span(300));
      return null;
    },
    touch: async () => null,
    freezePages: async () => null,
    prepare: async () => ({ more: false }),
    async connect({ port }) {
      callers.push(port);
      serveApi(port as PortLike, page, pageChecks, { log });
      return null;
    },
  };

  async function keepAwake(secs: number, of = browser): Promise<void> {
    do await pause(secs * 1_000);
    while (scripts.length > 0);
    if (phase === "running" && browser === of) await end("stopped", 200);
  }
}
