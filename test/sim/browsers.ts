/** Fake browsers, which own a profile's directory, and the profile threads that own them. */
import { type ActorContext, runActor } from "../../actors/kernel/host.ts";
import { profileControlChecks } from "../../protocol/generated/messages/profile.ts";
import type { ProfileControlApi } from "../../protocol/messages/profile.ts";
import { goodManners, type Manners } from "./manners.ts";
import type { SimPort } from "./ports.ts";
import { type BrowserProcess, createProfile } from "./profile-thread.ts";
import type { ScriptParts } from "./scripts.ts";
import type { ThreadLife } from "./threads.ts";
import type { Life } from "./timeline.ts";

interface World extends Omit<ScriptParts, "manners"> {
  note(what: string): void;
}

const forGood: Life = { name: "system", over: false };

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
    if (!process.pool.over && chance.is(0.1)) return; // Hangs until it is killed.
    timeline.after(chance.between(5, 500), () => this.#end(process.pid), forGood);
  }

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
