/** Fake browsers: processes that hold a profile's directory, and the profile threads that open, drive and lose them. */
import type { MessagePort } from "node:worker_threads";
import { type ActorContext, runActor } from "../../actors/kernel/host.ts";
import { serveApi } from "../../actors/kernel/rpc.ts";
import type { PortLike } from "../../actors/kernel/wire.ts";
import { Fault } from "../../protocol/faults.ts";
import { profileControlChecks, profilePageChecks } from "../../protocol/generated/messages.ts";
import { limits } from "../../protocol/limits.ts";
import type { RunProfileOutcome } from "../../protocol/messages/library.ts";
import type {
  ProfileControlApi,
  ProfileNotice,
  ProfilePageApi,
  ScriptJob,
} from "../../protocol/messages/profile.ts";
import type { ProfileSpec } from "../../protocol/profile-spec.ts";
import type { Chance } from "./chance.ts";
import type { SimPort } from "./ports.ts";
import type { ThreadLife } from "./threads.ts";
import type { Life, Timeline } from "./timeline.ts";

export interface BrowserProcess {
  pid: number;
  profileId: string;
  /** The pool whose slot it takes. */
  pool: Life;
  alive: boolean;
  /** Ended by itself. */
  crash(): void;
}

/** How browsers behave, from now on. */
export interface Manners {
  launchMs: number;
  slowLaunches: number;
  failingLaunches: number;
  hungLaunches: number;
  crashes: number;
  scriptMs: number;
}

export const goodManners: Manners = {
  launchMs: 400,
  slowLaunches: 0,
  failingLaunches: 0,
  hungLaunches: 0,
  crashes: 0,
  scriptMs: 2_000,
};

interface World {
  timeline: Timeline;
  chance: Chance;
  note(what: string): void;
  /** A script has been given its rows. */
  given(job: ScriptJob & { profileId: string }): void;
}

export class Browsers {
  readonly processes = new Map<number, BrowserProcess>();
  manners: Manners = goodManners;
  readonly #world: World;
  #pid = 1_000;

  constructor(world: World) {
    this.#world = world;
  }

  get alive(): BrowserProcess[] {
    return [...this.processes.values()].filter((process) => process.alive);
  }

  isAlive = (pid: number): boolean => this.processes.get(pid)?.alive ?? false;
  killGroup = (pid: number): void => this.#end(pid);

  endAll(): void {
    for (const { pid } of this.alive) this.#end(pid);
  }

  #end(pid: number): void {
    const process = this.processes.get(pid);
    if (process !== undefined) process.alive = false;
  }

  #spawn(life: ThreadLife, profileId: string, ended: () => void): BrowserProcess {
    this.#pid += 1;
    const pid = this.#pid;
    const crash = () => {
      if (!process.alive) return;
      this.#end(pid);
      if (!life.over) this.#world.timeline.after(1, ended, life);
    };
    const process: BrowserProcess = { pid, profileId, pool: life.parent, alive: true, crash };
    this.processes.set(pid, process);
    life.buried.push(() => this.#orphan(process));
    return process;
  }

  /** The pipe to its owner has closed (actors/README.md, "Lifeline"). */
  #orphan(process: BrowserProcess): void {
    const { chance, timeline } = this.#world;
    if (!process.pool.over && chance.is(0.1)) return; // Until it is killed.
    timeline.after(chance.between(5, 500), () => this.#end(process.pid), forGood);
  }

  /** A profile thread. */
  boot(life: ThreadLife, config: unknown, port: SimPort): void {
    const start = async ({ notify }: ActorContext<unknown>): Promise<ProfileControlApi> =>
      createProfile({
        ...this.#world,
        life,
        notify,
        manners: this.manners,
        spawn: ({ profileId }, ended) => this.#spawn(life, profileId, ended),
        held: ({ profileId }) => this.alive.some((process) => process.profileId === profileId),
        end: (pid) => this.#end(pid),
      });
    runActor({ name: "profile", port, config, exit: life.exit }, profileControlChecks, start);
  }
}

const forGood: Life = { name: "system", over: false };

interface ProfileParts extends World {
  life: ThreadLife;
  notify(notice: ProfileNotice): void;
  spawn(spec: ProfileSpec, ended: () => void): BrowserProcess;
  held(spec: ProfileSpec): boolean;
  end(pid: number): void;
  manners: Manners;
}

interface Script {
  runId: string;
  end(outcome: Partial<RunProfileOutcome> & Pick<RunProfileOutcome, "status">): void;
  lose(fault: Fault): void;
}

function createProfile(parts: ProfileParts): ProfileControlApi {
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
  /** Ready for another profile. */
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
    forkAhead: async () => null,
    prepare: async () => ({ more: false }),
    async connect({ port }) {
      callers.push(port);
      serveApi(port as PortLike, page, profilePageChecks, { log });
      return null;
    },
  };

  async function keepAwake(secs: number, of = browser): Promise<void> {
    do await pause(secs * 1_000);
    while (scripts.length > 0);
    if (phase === "running" && browser === of) await end("stopped", 200);
  }
}

interface ScriptHost {
  profileId(): string;
  running(): boolean;
  begin(script: Script): void;
  over(script: Script): void;
  scripts(): Script[];
}

function createScripts({ timeline, chance, manners, given }: ProfileParts, host: ScriptHost): ProfilePageApi {
  const none = async (): Promise<never> => {
    throw new Fault("conflict", "only scripts are simulated");
  };
  const plain = {
    error: null,
    result: null,
    output: [],
    log: [],
    files: [],
    launchMs: null,
    isolation: null,
  };
  return {
    runScript: (job) =>
      new Promise<RunProfileOutcome>((resolve, reject) => {
        if (!host.running()) return reject(new Fault("conflict", "the profile is not running"));
        given({ ...job, profileId: host.profileId() });
        const script: Script = {
          runId: job.runId,
          end(outcome) {
            host.over(script);
            resolve({ ...plain, ...outcome });
          },
          lose: reject,
        };
        host.begin(script);
        const ms = chance.is(0.1) ? job.timeoutMs * 2 : chance.span(manners.scriptMs);
        timeline.after(Math.min(ms, job.timeoutMs), () =>
          script.end(
            ms >= job.timeoutMs || chance.is(0.3)
              ? { status: "failed", error: "it threw" }
              : { status: "completed" },
          ),
        );
      }),
    async abortScript({ runId, reason }) {
      for (const script of host.scripts().filter((one) => one.runId === runId))
        timeline.after(chance.between(1, limits.scriptAbortGraceMs), () =>
          script.end({ status: "failed", error: reason }),
        );
      return null;
    },
    navigate: none,
    snapshot: none,
    click: none,
    type: none,
    pressKey: none,
    scroll: none,
    evaluate: none,
    waitForElement: none,
    setFile: none,
    scriptLog: async () => null,
    readCookies: none,
    writeCookies: none,
    frame: none,
  };
}
