/** One profile in its thread, from the launch to the end: the phases of its browser. */
import { Fault } from "../../protocol/faults.ts";
import type { HandoffChange } from "../../protocol/handoff.ts";
import type { ProfileConfig, ProfileControlApi, ProfileNotice } from "../../protocol/messages/profile.ts";
import { inBackground } from "../kernel/background.ts";
import type { ActorContext } from "../kernel/host.ts";
import type { ScriptBrowser } from "../script/relay.ts";
import { blankMaker } from "./chromium/blank.ts";
import { openProfile } from "./launch-by-proxy.ts";
import { abortLate } from "./launch-limits.ts";
import { type BrowserEnd, browserEnd, openRunning, type Running, type RunningParts } from "./running.ts";
import { scriptBrowser } from "./script-browser.ts";
import type { ScriptHost, ScriptHostParts } from "./script-host.ts";

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

type LaunchInput = Parameters<ProfileControlApi["launch"]>[0];

export class ProfileLife {
  readonly #parts: ProfileParts;
  readonly #makeBlank: ReturnType<typeof blankMaker>;
  #phase: Phase = { name: "waiting" };
  #title = "the profile";
  /** Answers calls when the profile does not run. */
  #ending = new Fault("conflict", "the profile is not running");

  constructor(parts: ProfileParts) {
    this.#parts = parts;
    this.#makeBlank = blankMaker(parts.config.engine);
  }

  /** Null when the profile does not run. */
  get running(): Running | null {
    return this.#phase.name === "running" ? this.#phase : null;
  }

  /** Throws `conflict` when the profile does not run. Unlike `using`, this does not keep an idle browser open. */
  watched(): Running {
    if (this.#phase.name !== "running") throw this.#ending;
    return this.#phase;
  }

  /** Runs a call that looks at the pages, which does not keep an idle browser open. */
  async looking<T>(call: (running: Running) => Promise<T>): Promise<T> {
    const running = this.watched();
    const release = running.pages.hold();
    try {
      await running.pages.awake();
      return await call(running);
    } finally {
      release();
    }
  }

  /** Runs a call on the running browser, which is not idle meanwhile. If the browser ends, the error says so. */
  async using<T>(call: (running: Running) => Promise<T>): Promise<T> {
    const running = this.watched();
    const release = [running.idle.hold(), running.pages.hold()];
    try {
      await running.pages.awake();
      return await call(running);
    } catch (error) {
      if (!running.browser.connection.root.closed) throw this.#phase === running ? error : this.#ending;
      await running.over.promise; // The channel closes before the reason is known.
      throw this.#ending;
    } finally {
      for (const end of release) end();
    }
  }

  async launch(input: LaunchInput) {
    const { log, clock } = this.#parts;
    const { spec, options, warmRunner } = input;
    if (this.#phase.name !== "waiting")
      throw new Fault("conflict", `profile ${spec.profileId} is already running`);
    this.#title = `profile ${spec.profileId}`;
    this.#ending = new Fault("conflict", `${this.#title} is not running`);
    let open: ScriptBrowser | null = null;
    const scripts = this.#openScripts(input, () => open);
    const abort = new AbortController();
    const opening = this.#open(input, abort.signal);
    this.#phase = { name: "starting", abort, settled: opening.catch(() => {}) };
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
      const { uploadsDir } = spec;
      const { idleTimeoutSecs, freezeAfterSecs = spec.freezeAfterSecs ?? 0, diagnostic } = options;
      // A user may look at a window.
      const freezes = browser.launched.headless && !diagnostic;
      this.#run({
        browser,
        scripts,
        uploadsDir,
        idleTimeoutSecs,
        freezeAfterSecs: freezes ? freezeAfterSecs : 0,
      });
      return browser.launched;
    } catch (error) {
      this.#phase = { name: "ended" };
      await scripts.close();
      this.#exitSoon();
      throw error;
    }
  }

  #open({ spec, options, warmRunner }: LaunchInput, signal: AbortSignal) {
    const { config, notify } = this.#parts;
    return openProfile({
      spec,
      options,
      engine: config.engine,
      onSpawned: (pid) => notify({ notice: "browser-spawned", pid }),
      onSlow: () => notify({ notice: "browser-slow" }),
      signal,
      background: warmRunner !== null,
    });
  }

  #openScripts({ spec }: LaunchInput, browser: () => ScriptBrowser | null): ScriptHost {
    const { config, log, clock } = this.#parts;
    const { tempDir, libraryCacheDir } = config.engine;
    return this.#parts.createScriptHost({
      log,
      clock,
      browser: () => {
        const open = browser();
        if (open === null) throw this.#ending;
        return open;
      },
      profile: { id: spec.profileId, name: spec.name },
      uploadsDir: spec.uploadsDir,
      tempDir,
      libraryCacheDir,
      handoff: (wish) => this.watched().handoff.ask(wish),
    });
  }

  #run(parts: Omit<RunningParts, "clock" | "log" | "onIdle" | "onHandoff" | "title">): void {
    const { log, clock } = this.#parts;
    const { idleTimeoutSecs } = parts;
    const onIdle = () => {
      log.info("the browser was idle; stopping it", { idleTimeoutSecs });
      inBackground(log, "the idle stop", this.#stopRunning("it was idle"));
    };
    const onHandoff = (change: HandoffChange) => this.#parts.notify({ notice: "handoff", change });
    parts.browser.downloads.onDone = ({ download_id: id, name, state }) =>
      this.#parts.notify({ notice: "downloaded", id, name, failed: state === "failed" });
    const running = openRunning({ ...parts, clock, log, title: this.#title, onIdle, onHandoff });
    this.#phase = running;
    const ended = browserEnd(running).then(async (end) => {
      if (this.#phase === running) await this.#end(running, end, () => running.browser.discard());
    });
    inBackground(log, "the end of the browser", ended);
  }

  #end(running: Running, { status, reason }: BrowserEnd, close: () => Promise<void>): Promise<void> {
    const what = status === "crashed" ? "has crashed" : "is stopping";
    this.#ending = new Fault("conflict", `${this.#title} ${what}: ${reason}`);
    running.over.resolve();
    this.#parts.notify({ notice: "browser-ending" });
    running.idle.close();
    running.pages.close();
    running.screencast.close();
    running.handoff.close(this.#ending);
    running.mailbox.close(this.#ending);
    const done = this.#close(running, { status, reason }, close);
    this.#phase = { name: "stopping", done };
    return done;
  }

  async #close({ scripts }: Running, end: BrowserEnd, close: () => Promise<void>): Promise<void> {
    let orderly = false;
    try {
      try {
        await scripts.close(); // The script first: it may still use the browser.
      } finally {
        await close();
      }
      orderly = end.status === "stopped";
    } finally {
      this.#phase = { name: "ended" };
      this.#parts.notify({ notice: "browser-ended", ...end });
      if (orderly) this.#leaveSoon();
      else this.#exitSoon();
    }
  }

  async #stopRunning(reason: string): Promise<void> {
    if (this.#phase.name !== "running") return;
    const { browser } = this.#phase;
    await this.#end(this.#phase, { status: "stopped", reason }, () => browser.close());
  }

  /** Returns when the browser has ended and its data is on disk. */
  async stop(): Promise<void> {
    if (this.#phase.name === "starting") {
      const { abort, settled } = this.#phase;
      abort.abort(new Fault("conflict", `${this.#title} was stopped while it was starting`));
      await settled;
    }
    if (this.#phase.name === "stopping") await this.#phase.done;
    await this.#stopRunning("it was stopped");
  }

  /** Makes a blank user data directory until a launch begins; whether more are needed. */
  prepare(): Promise<boolean> {
    return this.#makeBlank(() => this.#phase.name === "waiting");
  }

  /** After the pending replies are sent. */
  #exitSoon(): void {
    setImmediate(() => this.#parts.exit(0));
  }

  #leaveSoon(): void {
    const { leave } = this.#parts;
    if (leave === undefined) this.#exitSoon();
    else setImmediate(leave);
  }
}
