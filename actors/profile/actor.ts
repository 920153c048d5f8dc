/** The profile thread: owns one browser from its launch to its end, and serves its page verbs. */
import { Fault } from "../../protocol/faults.ts";
import { profileControlChecks } from "../../protocol/generated/messages.ts";
import { eachVerb, type VerbApi } from "../../protocol/generated/verb-table.ts";
import { limits } from "../../protocol/limits.ts";
import type {
  ProfileConfig,
  ProfileControlApi,
  ProfileNotice,
  ProfilePageApi,
} from "../../protocol/messages/profile.ts";
import { inBackground, logRejections } from "../kernel/background.ts";
import { type ActorContext, hostActor } from "../kernel/host.ts";
import { Mailbox } from "../kernel/mailbox.ts";
import type { ScriptBrowser } from "../script/relay.ts";
import { createCallers } from "./callers.ts";
import { prepareCodec } from "./cdp/cbor-write.ts";
import { type CdpTrace, createTrace } from "./cdp/trace.ts";
import { blankMaker } from "./chromium/blank.ts";
import { createForks } from "./chromium/waiting.ts";
import { readCookies, writeCookies } from "./cookies.ts";
import { createIdleTimer, type IdleTimer } from "./idle.ts";
import { profilesInTurn } from "./in-turn.ts";
import { type OpenProfile, openProfile } from "./launch-by-proxy.ts";
import { abortLate } from "./launch-limits.ts";
import { createPageVerbs } from "./page/verbs.ts";
import { createScreencast, type Screencast } from "./screencast.ts";
import { scriptBrowser } from "./script-browser.ts";
import { createScriptHost, type ScriptHost, type ScriptHostParts } from "./script-host.ts";
import { within } from "./within.ts";

interface Running {
  name: "running";
  browser: OpenProfile;
  scripts: ScriptHost;
  verbs: VerbApi;
  screencast: Screencast;
  trace: CdpTrace;
  mailbox: Mailbox;
  idle: IdleTimer;
  over: Promise<void>;
}

type Phase =
  | { name: "waiting" }
  | { name: "starting"; abort: AbortController; settled: Promise<unknown> }
  | Running
  | { name: "stopping"; done: Promise<void> }
  | { name: "ended" };

/** The parts of the thread's context that the actor uses, and those that tests replace. */
export type ProfileParts = Pick<ActorContext<ProfileConfig>, "config" | "log" | "clock" | "exit"> & {
  notify(notice: ProfileNotice): void;
  /** Called after an orderly stop, when nothing of the profile is left. By default the thread exits. */
  leave?(): void;
  createScriptHost(parts: ScriptHostParts): ScriptHost;
};

export interface ProfileActor {
  control: ProfileControlApi;
  page: ProfilePageApi;
}

const exitCodeMs = 1_000;

export function createProfileActor(parts: ProfileParts): ProfileActor {
  const { config, log, clock } = parts;
  prepareCodec();
  const makeBlank = blankMaker(config.engine);
  const forks = createForks();
  let phase: Phase = { name: "waiting" };
  let title = "the profile";
  let ending = new Fault("conflict", "the profile is not running");
  let endKnown = (): void => {};

  const launch: ProfileControlApi["launch"] = async ({ spec, options, warmRunner }) => {
    if (phase.name !== "waiting") throw new Fault("conflict", `profile ${spec.profileId} is already running`);
    title = `profile ${spec.profileId}`;
    ending = new Fault("conflict", `${title} is not running`);
    const abort = new AbortController();
    let open: ScriptBrowser | null = null;
    const scripts = parts.createScriptHost({
      log,
      clock,
      browser: () => {
        if (open === null) throw ending;
        return open;
      },
      profile: { id: spec.profileId, name: spec.name },
      uploadsDir: spec.uploadsDir,
      tempDir: config.engine.tempDir,
    });
    const opening = openProfile({
      spec,
      options,
      engine: config.engine,
      onSpawned: (pid) => parts.notify({ notice: "browser-spawned", pid }),
      onSlow: () => parts.notify({ notice: "browser-slow" }),
      signal: abort.signal,
      background: warmRunner !== null,
      start: forks.start,
    });
    phase = { name: "starting", abort, settled: opening.catch(() => {}) };
    abortLate(clock, abort, opening);
    // Start the script's process after the browser's, which is more urgent.
    if (warmRunner !== null) inBackground(log, "the warm start", scripts.warm(warmRunner));
    try {
      const browser = await opening;
      abort.signal.throwIfAborted();
      open = scriptBrowser(browser);
      if (browser.launched.headless && !options.headless) log.warn("no display: running without a window");
      const unmeasured = browser.launched.exit?.error ?? null;
      if (unmeasured !== null) log.warn("the proxy's exit was not measured", { error: unmeasured });
      run(browser, scripts, spec.uploadsDir, options.idleTimeoutSecs);
      return browser.launched;
    } catch (error) {
      phase = { name: "ended" };
      await scripts.close();
      await forks.end();
      exitSoon();
      throw error;
    }
  };

  const run = (browser: OpenProfile, scripts: ScriptHost, uploadsDir: string, idleTimeoutSecs: number) => {
    const mailbox = new Mailbox(`the page of ${title}`, limits.pageCallsMax);
    const verbs = createPageVerbs(browser.tabs, (work) => mailbox.run(work), uploadsDir, browser.bridge);
    const idle = createIdleTimer(clock, idleTimeoutSecs, () => {
      log.info("the browser was idle; stopping it", { idleTimeoutSecs });
      inBackground(log, "the idle stop", stopRunning("it was idle"));
    });
    const over = new Promise<void>((resolve) => {
      endKnown = resolve;
    });
    const screencast = createScreencast(browser.tabs, clock);
    const trace = createTrace(browser.connection, clock);
    const shown = { screencast, trace };
    const running: Running = { name: "running", browser, scripts, verbs, ...shown, mailbox, idle, over };
    phase = running;
    // A killed browser closes its channel before its exit is known; a hung one may only lose its channel.
    const ended = Promise.race([browser.process.ended, browser.connection.gone]).then(async () => {
      if (phase !== running) return;
      const end = await within(browser.process.ended, exitCodeMs);
      if (phase !== running) return;
      const asked = end?.value.code === 0; // A client closed it over CDP.
      const reason = asked
        ? "a client closed the browser"
        : `the browser ended by itself (${end?.value.how ?? "its control channel died"})`;
      await endBy(running, asked ? "stopped" : "crashed", reason, () => browser.discard());
    });
    inBackground(log, "the end of the browser", ended);
  };

  const endBy = (
    running: Running,
    status: "stopped" | "crashed",
    reason: string,
    close: () => Promise<void>,
  ): Promise<void> => {
    ending = new Fault(
      "conflict",
      status === "crashed" ? `${title} has crashed: ${reason}` : `${title} is stopping: ${reason}`,
    );
    endKnown();
    parts.notify({ notice: "browser-ending" });
    running.idle.close();
    running.screencast.close();
    running.mailbox.close(ending);
    const done = (async () => {
      let afterwards = exitSoon;
      try {
        try {
          await running.scripts.close(); // The script first: it may still use the browser.
        } finally {
          await close();
        }
        if (status === "stopped") afterwards = leaveSoon;
      } finally {
        phase = { name: "ended" };
        parts.notify({ notice: "browser-ended", status, reason });
        afterwards();
      }
    })();
    phase = { name: "stopping", done };
    return done;
  };

  const stopRunning = async (reason: string): Promise<void> => {
    if (phase.name !== "running") return;
    const { browser } = phase;
    await endBy(phase, "stopped", reason, () => browser.close());
  };

  const stop: ProfileControlApi["stop"] = async () => {
    if (phase.name === "waiting") await forks.end();
    if (phase.name === "starting") {
      const { abort, settled } = phase;
      abort.abort(new Fault("conflict", `${title} was stopped while it was starting`));
      await settled;
    }
    if (phase.name === "stopping") await phase.done;
    await stopRunning("it was stopped");
    return null;
  };

  const exitSoon = () => {
    setImmediate(() => parts.exit(0)); // After the pending replies are sent.
  };
  const leaveSoon = () => {
    const { leave } = parts;
    if (leave === undefined) return exitSoon();
    setImmediate(() => {
      callers.close();
      leave();
    });
  };

  /** Runs a call on the running browser, which is not idle meanwhile. If the browser ends, the error says so. */
  const using = async <T>(call: (running: Running) => Promise<T>): Promise<T> => {
    if (phase.name !== "running") throw ending;
    const running = phase;
    const release = running.idle.hold();
    try {
      return await call(running);
    } catch (error) {
      if (!running.browser.connection.root.closed) throw phase === running ? error : ending;
      await running.over; // The channel closes before the reason is known.
      throw ending;
    } finally {
      release();
    }
  };

  /** Unlike `using`: watching must not keep an idle browser open. */
  const watched = (): Running => {
    if (phase.name !== "running") throw ending;
    return phase;
  };

  const page: ProfilePageApi = {
    ...eachVerb((name, input) => using(({ verbs }) => verbs[name](input))),
    runScript: (job) => using(({ scripts }) => scripts.run(job)),
    readCookies: () =>
      using(async ({ browser }) => ({ cookies: await readCookies(browser.connection.root) })),
    writeCookies: ({ cookies }) =>
      using(async ({ browser }) => ({ refused: await writeCookies(browser.connection.root, cookies) })),
    frame: async ({ after }) => ({ frame: await watched().screencast.next(after) }),
    cdpTrace: async ({ after, waitMs }) => watched().trace.next(after, waitMs),
    scriptLog: async ({ runId, after }) => watched().scripts.logOf(runId, after),
    async abortScript({ runId, reason }) {
      if (phase.name === "running") phase.scripts.abort(runId, reason);
      return null;
    },
  };

  const callers = createCallers(page, log, (runId) => {
    if (phase.name === "running") phase.scripts.abort(runId, "the caller of the script has disconnected");
  });

  const control: ProfileControlApi = {
    launch,
    stop,
    async touch() {
      if (phase.name === "running") phase.idle.touch();
      return null;
    },
    async forkAhead() {
      if (phase.name === "waiting") forks.ahead();
      return null;
    },
    async prepare() {
      return { more: await makeBlank(() => phase.name === "waiting") };
    },
    async connect({ port }) {
      if (phase.name !== "running") throw ending; // A call for this profile must not reach the next one of this thread.
      callers.serve(port);
      return null;
    },
  };
  return { control, page };
}

hostActor<ProfileConfig, ProfileControlApi>("profile", profileControlChecks, async (context) => {
  logRejections(context.log); // Ending the thread would end the browser too.
  return profilesInTurn(
    (leave) => createProfileActor({ ...context, createScriptHost, leave }).control,
    () => context.notify({ notice: "vacant" } satisfies ProfileNotice),
  );
});
