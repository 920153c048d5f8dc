/** One simulated machine: drive, browsers and clock, the service's process, and what is known about them. */
import type { Log } from "../../actors/kernel/log.ts";
import { readCapacity } from "../../protocol/capacity-word.ts";
import { Fault } from "../../protocol/faults.ts";
import type { Beginning } from "./beginning.ts";
import { Browsers } from "./browsers.ts";
import type { Chance } from "./chance.ts";
import { Drive } from "./drive.ts";
import { DueTimes } from "./due-times.ts";
import { Facts } from "./facts.ts";
import { enter, settled } from "./platform.ts";
import { type ThreadLife, Threads } from "./threads.ts";
import { type Life, Timeline } from "./timeline.ts";
import { Trace } from "./trace.ts";
import { bootActors, startTroupe, type Troupe } from "./troupe.ts";
import { Violation, Watch } from "./watch.ts";

interface Call {
  what: string;
  until: number;
}

const startMs = Date.UTC(2026, 2, 27);
const nobody: Life = { name: "world", over: false };
/** Messages of a call need time beyond its deadline. */
const slackMs = 2_000;

export class World {
  readonly chance: Chance;
  readonly timeline = new Timeline(startMs, nobody);
  readonly trace = new Trace(() => this.timeline);
  readonly facts = new Facts();
  readonly dueTimes = new DueTimes();
  readonly watch: Watch;
  readonly drive: Drive;
  readonly browsers: Browsers;
  readonly threads: Threads;
  readonly scripts: Set<string>;
  readonly datasets: Map<string, { name: string; mode: "fixed" | "consume" }>;
  readonly calls = new Set<Call>();
  readonly opened = new Set<string>();
  latencyMs = 0.2;
  /** The thread that receives the message after this many more crashes. */
  crashIn: number | null = null;
  browsersMax = 3;
  troupe: Troupe | null = null;
  process: ThreadLife | null = null;
  #active = 0;

  constructor(chance: Chance, beginning: Beginning) {
    this.chance = chance;
    this.drive = new Drive(this.timeline, chance, beginning.files);
    for (const [key, value] of beginning.facts) this.facts.know(key, value);
    this.scripts = new Set(beginning.scripts);
    this.datasets = new Map(beginning.datasets);
    const { timeline, facts, dueTimes, note } = this;
    this.watch = new Watch({ timeline, facts, dueTimes, note, nobody });
    this.browsers = new Browsers({
      timeline,
      chance,
      note: this.note,
      given: (job) => this.watch.given(job),
    });
    const post = {
      timeline,
      chance,
      latencyMs: () => this.latencyMs,
      arrived: (to: Life) => this.#arrived(to),
    };
    this.threads = new Threads(
      post,
      bootActors({
        browsers: this.browsers,
        disk: (life) => this.drive.disk(life),
        idleMs: () => timeline.now,
        opened: (life, library) => this.watch.opened(life, library),
      }),
    );
    Reflect.set(process.stderr, "write", (line: string) => {
      const { scope, message, error } = JSON.parse(line);
      this.note(`${scope} logs: ${message}${error === undefined ? "" : `, ${String(error).split("\n")[0]}`}`);
      return true;
    });
    const { threads } = this;
    enter({
      timeline,
      chance,
      channel: () => threads.channel(),
      worker: (name, data) => threads.start(name, data),
    });
  }

  note = (what: string): void => this.trace.note(what);

  start(): void {
    if (this.process !== null) return;
    const life: ThreadLife = {
      name: "process",
      over: false,
      parent: nobody,
      exit: () => this.#processEnded(life),
      buried: [],
    };
    this.process = life;
    this.threads.alive.add(life);
    const log: Log = { debug() {}, info() {}, warn: this.note, error: this.note };
    this.timeline.after(
      0,
      () => {
        startTroupe(log, this.browsersMax).then(
          (troupe) => {
            if (!life.over) this.troupe = troupe;
          },
          (error: unknown) => {
            this.note(`the service did not start: ${String(error)}`);
            if (!life.over) this.kill();
          },
        );
      },
      life,
    );
  }

  kill(): void {
    const life = this.process;
    if (life === null) return;
    this.threads.end(life, 137);
    this.#processEnded(life);
    this.drive.release();
  }

  cutPower(): void {
    this.kill();
    this.threads.endAll();
    this.browsers.endAll();
    this.drive.cutPower();
  }

  /** Ends the process normally; returns the reason when that fails, else null. */
  async stop(): Promise<string | null> {
    const { troupe, process } = this;
    if (troupe === null || process === null) return null;
    this.calls.clear();
    this.troupe = null;
    let over = false;
    let failure: string | null = null;
    const stop = () =>
      troupe
        .stop()
        .catch((error: unknown) => {
          failure = `the stop failed: ${String(error)}`;
        })
        .finally(() => {
          over = true;
        });
    this.timeline.after(0, () => void stop(), process);
    while (!over && !process.over) await this.advance(100);
    this.note(failure ?? "stopped");
    this.kill();
    return failure;
  }

  #processEnded(life: ThreadLife): void {
    if (this.process !== life) return;
    this.process = null;
    this.troupe = null;
    this.calls.clear();
    this.#active = 0;
  }

  crash(name: string): void {
    const life = [...this.threads.alive].find((one) => one.name === name);
    if (life === undefined) return;
    this.note(`crash of ${name}`);
    this.#end(life);
  }

  #end(life: Life): void {
    for (const thread of this.threads.alive) if (thread === life) this.threads.end(thread, 1);
  }

  #arrived(to: Life): void {
    if (this.crashIn === null || to.name === "process" || to === nobody) return;
    this.crashIn -= 1;
    if (this.crashIn > 0) return;
    this.crashIn = null;
    this.note(`crash of ${to.name} at a message`);
    this.#end(to);
  }

  call<T>(what: string, run: (troupe: Troupe) => Promise<T>, heard: Heard<T> = {}): void {
    const { troupe, process } = this;
    if (troupe === null || process === null) return;
    const call = { what, until: this.timeline.now + (heard.deadlineMs ?? 30_000) + slackMs };
    this.calls.add(call);
    const asks = (heard.changes ?? []).map(([key, value]) => this.facts.ask(key, value));
    const over = (how: string) => {
      this.calls.delete(call);
      this.note(`${what}: ${how}`);
    };
    this.note(`${what} …`);
    this.timeline.after(
      0,
      () => {
        run(troupe).then(
          (value) => {
            for (const ask of asks) ask.done();
            over("done");
            heard.done?.(value);
          },
          (error: unknown) => {
            const refused = error instanceof Fault && error.kind !== "internal";
            if (refused) for (const ask of asks) ask.refused();
            over(error instanceof Error ? error.message : String(error));
          },
        );
      },
      process,
    );
  }

  freeze(ms: number): void {
    this.timeline.freeze(ms);
    for (const call of this.calls) call.until += ms;
  }

  async advance(ms: number): Promise<void> {
    const until = this.timeline.now + ms;
    await settled();
    for (let life = this.timeline.step(until); life !== null; life = this.timeline.step(until)) {
      await settled();
      this.check(life);
    }
  }

  check(life: Life): void {
    this.#checkSlots();
    for (const { what, until } of this.calls) {
      if (until < this.timeline.now) throw new Violation(`${what} has not ended by its deadline`);
    }
    this.watch.check(life);
  }

  #checkSlots(): void {
    const { alive } = this.browsers;
    const profiles = new Set(alive.map(({ profileId }) => profileId));
    if (profiles.size < alive.length) throw new Violation("a profile has two browsers");
    const pool = [...this.threads.alive].find(({ name }) => name === "pool");
    if (this.troupe === null || pool === undefined) return;
    const { active, max } = readCapacity(this.troupe.capacityWord);
    const mine = alive.filter(({ pool: owner }) => owner === pool).length;
    if (mine > active) throw new Violation(`${mine} browsers are alive, and ${active} slots are taken`);
    if (active > max && active > this.#active) throw new Violation(`${active} of ${max} slots are taken`);
    this.#active = active;
  }
}

export interface Heard<T> {
  changes?: [key: string, value: string][];
  deadlineMs?: number;
  done?(value: T): void;
}
