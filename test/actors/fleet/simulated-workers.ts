/** Workers and their guards in virtual time, by the rules that the fleet uses. */
import type { Claim, Lease } from "../../../actors/fleet/ledger.ts";
import { createWatch, mustEnd, type Watch } from "../../../actors/fleet/rules.ts";
import { fleetLimits } from "../../../protocol/fleet.ts";
import type { LedgerBugs, MemoryLedger } from "./memory-ledger.ts";
import { kill, newProcess, type Process, type VirtualTime, within } from "./virtual-time.ts";

export interface Bugs extends LedgerBugs {
  noGuard?: boolean;
  /** Others wait no longer than this. */
  lostMs?: number;
}

export interface Machine {
  index: number;
  /** How fast its clock runs. */
  rate: number;
  worker: Process;
  guard: Process;
  session: string;
  /** Its sessions that may still be in the ledger. */
  earlier: Set<string>;
  /** Its connection drops packets until then. */
  holeUntil: number;
  browsers: Map<string, Lease>;
  works: Map<string, Lease>;
  /** What the guard knows. */
  confirmedAt: number;
  holding: number;
  guardHeardAt: number;
}

export function newMachine(index: number, rate: number): Machine {
  const rooms = {
    browsers: new Map<string, Lease>(),
    works: new Map<string, Lease>(),
    earlier: new Set<string>(),
  };
  const heard = { confirmedAt: 0, holding: 0, guardHeardAt: 0 };
  return {
    index,
    rate,
    worker: newProcess(),
    guard: newProcess(),
    ...rooms,
    ...heard,
    session: "",
    holeUntil: 0,
  };
}

export interface World {
  time: VirtualTime;
  ledger: MemoryLedger;
  machines: Machine[];
  bugs: Bugs;
  random(): number;
  between(least: number, most: number): number;
  databaseAwayUntil: number;
  found(finding: string): void;
}

const guardLookMs = 500;
const origin = { platform: "linux", engine: 1, label: "" };

export class Workers {
  readonly #world: World;
  readonly #begun = new Map<string, number>();
  readonly #archiveEpochs = new Map<string, number>();

  constructor(world: World) {
    this.#world = world;
  }

  /** The control pipes close; a browser may take its time. The guard, or its own supervisor, starts the worker again. */
  kill(machine: Machine): void {
    const { time, between } = this.#world;
    if (machine.worker.state === "dead") return;
    kill(machine.worker);
    for (const profileId of [...machine.browsers.keys()])
      time.at(between(0, 2_000), () => void machine.browsers.delete(profileId));
    machine.works.clear();
    time.at(between(4_000, 30_000), () => this.start(machine));
  }

  start(machine: Machine): void {
    const { ledger } = this.#world;
    if (machine.guard.state === "dead") {
      machine.guard.state = "runs";
      machine.guard.life += 1;
      this.guardLooks(machine);
    }
    if (machine.session !== "") machine.earlier.add(machine.session);
    machine.worker.state = "runs";
    machine.session = `${machine.index} ${machine.worker.life}`;
    machine.holding = 0;
    machine.confirmedAt = this.#clockOf(machine);
    machine.guardHeardAt = this.#clockOf(machine);
    const { session } = machine;
    const join = { session, name: `w${machine.index}`, ...origin, troupe: "", slots: 4 };
    const joined = async () => {
      for (const earlier of machine.earlier) await ledger.leave(earlier);
      if (!ledger.workers.has(session)) await ledger.join(join);
      return true;
    };
    this.#insist(machine, joined, () => {
      machine.earlier.clear();
      this.#beats(machine, createWatch(this.#world.bugs.lostMs));
      this.#claims(machine);
    });
    this.#hearsGuard(machine);
  }

  guardLooks(machine: Machine): void {
    const look = () => {
      machine.guardHeardAt = this.#clockOf(machine);
      const silentMs = this.#clockOf(machine) - machine.confirmedAt;
      if (this.#world.bugs.noGuard !== true && mustEnd(silentMs, machine.holding)) this.kill(machine);
      this.guardLooks(machine);
    };
    this.#world.time.at(guardLookMs, within(machine.guard, look));
  }

  #clockOf({ rate }: Machine): number {
    return this.#world.time.now * rate;
  }

  /** A statement of a worker: its effect and its answer may each be lost, and it fails after the limit. */
  #ask<T>(machine: Machine, effect: () => Promise<T>, answered: (value: T | null) => void): void {
    const world = this.#world;
    const { time, between, random } = world;
    const { worker } = machine;
    const there = between(1, 200);
    const back = between(1, random() < 0.05 ? 6_000 : 200);
    let over = false;
    const answer = (value: T | null) => {
      if (!over) answered(value);
      over = true;
    };
    const failing = within(worker, () => answer(null));
    time.at(fleetLimits.queryMs, failing);
    const lost = () => time.now < machine.holeUntil || time.now < world.databaseAwayUntil;
    time.at(there, async () => {
      if (lost()) {
        // A packet that is sent again arrives when the hole closes, long after its sender has given up.
        if (time.now < machine.holeUntil && random() < 0.5)
          time.at(machine.holeUntil - time.now, () => void effect().catch(() => {}));
        return;
      }
      const value = await effect().catch(() => null); // Refused: the name is still taken. The worker tries again.
      if (value === null) return;
      time.at(back, () => {
        if (!lost()) void within(worker, () => answer(value))();
      });
    });
  }

  #insist<T>(machine: Machine, effect: () => Promise<T>, done: (value: T) => void): void {
    this.#ask(machine, effect, (value) => {
      if (value !== null) return done(value);
      const again = within(machine.worker, () => this.#insist(machine, effect, done));
      this.#world.time.at(1_000, again);
    });
  }

  #hearsGuard(machine: Machine): void {
    const look = () => {
      const silent = this.#clockOf(machine) - machine.guardHeardAt >= fleetLimits.guardSilentMs;
      if (silent) this.kill(machine);
      else this.#hearsGuard(machine);
    };
    this.#world.time.at(fleetLimits.guardBeatMs, within(machine.worker, look));
  }

  #beats(machine: Machine, watch: Watch): void {
    const { ledger, time } = this.#world;
    const before = this.#clockOf(machine);
    const { session, worker } = machine;
    const watched = (sessions: { session: string; beat: number }[] | null) => {
      for (const silent of watch.look(sessions ?? [], this.#clockOf(machine)))
        if (silent.session !== session)
          this.#ask(
            machine,
            () => this.#expire(silent),
            () => {},
          );
      const again = within(worker, () => this.#beats(machine, watch));
      time.at(fleetLimits.beatMs, again);
    };
    const beat = () => ledger.beat(session, { slots: 4, trouble: null });
    this.#ask(machine, beat, (answer) => {
      if (answer?.lost === true) return this.kill(machine);
      if (answer !== null) machine.confirmedAt = before;
      this.#ask(machine, () => ledger.sessions(), watched);
    });
  }

  #claims(machine: Machine): void {
    const { ledger, time } = this.#world;
    const claim = () => ledger.claim(machine.session, 2, [...machine.works.values()]);
    this.#ask(machine, claim, (claimed) => {
      for (const one of claimed ?? []) this.#work(machine, one);
      const again = within(machine.worker, () => this.#claims(machine));
      time.at(fleetLimits.lookMs, again);
    });
  }

  #open(machine: Machine, lease: Lease): void {
    const { machines, found } = this.#world;
    for (const other of machines)
      if (other.browsers.has(lease.profileId))
        found(`${lease.profileId} is open on ${other.index} and ${machine.index}`);
    machine.browsers.set(lease.profileId, lease);
  }

  #work(machine: Machine, { runId, profileId, epoch }: Claim): void {
    const { ledger, time, between } = this.#world;
    const { worker } = machine;
    const lease = { runId, profileId, epoch, session: machine.session };
    const key = `${runId} ${profileId}`;
    machine.works.set(key, lease);
    machine.holding = machine.works.size;
    const over = () => {
      machine.works.delete(key);
      machine.holding = machine.works.size;
    };
    const close = () => void machine.browsers.delete(profileId);
    const unclaim = async () => {
      await ledger.unclaim(lease);
      return true;
    };
    const keep = () => {
      close();
      const releasing = within(worker, () => this.#insist(machine, () => this.#release(lease), over));
      time.at(between(10, 30_000), releasing);
    };
    const finish = () => {
      const outcome = new Uint8Array([epoch]);
      this.#insist(machine, () => ledger.finish(lease, outcome), keep);
    };
    const begun = (may: boolean) => {
      if (may) return time.at(between(10, 40_000), within(worker, finish));
      close();
      this.#insist(machine, unclaim, over);
    };
    const begin = () => {
      this.#open(machine, lease);
      this.#insist(machine, () => this.#begin(lease), begun);
    };
    time.at(between(10, 5_000), within(worker, begin));
  }

  async #begin(lease: Lease): Promise<boolean> {
    const key = `${lease.runId} ${lease.profileId}`;
    const may = await this.#world.ledger.begin(lease);
    const before = this.#begun.get(key) ?? lease.epoch;
    if (may) this.#begun.set(key, lease.epoch);
    if (may && before !== lease.epoch) this.#world.found(`${key} begins twice`);
    return may;
  }

  /** A session that has beaten since it was seen may hold profiles that are open. */
  async #expire({ session, beat }: { session: string; beat: number }): Promise<boolean> {
    const { ledger, found } = this.#world;
    const now = ledger.workers.get(session)?.beat;
    const expired = await ledger.expire(session, beat);
    if (expired && now !== beat) found(`${session} is given up although it has beaten since`);
    return expired;
  }

  async #release(lease: Lease): Promise<object> {
    const { ledger, found } = this.#world;
    const { profileId, epoch } = lease;
    const archive = { key: `${profileId}/${epoch}`, sha256: "", bytes: 1 };
    const answer = await ledger.release(lease, { ...archive, ...origin });
    const newest = ledger.profiles.get(profileId)?.archiveEpoch ?? 0;
    if (newest < (this.#archiveEpochs.get(profileId) ?? 0)) found(`an older archive of ${profileId}`);
    this.#archiveEpochs.set(profileId, newest);
    return answer;
  }
}
