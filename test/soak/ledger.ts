/** The books of a soak: what was done, what failed, what was done to it on purpose, and which failures that explains. */

/** Something that did not go as it should. Times are milliseconds of the epoch. */
export interface Failure {
  what: string;
  /** null: no profile in particular. */
  profileId: string | null;
  /** It does not say whose it is: whatever was done to anybody explains it. */
  anybodys?: true;
  from: number;
  to: number;
  message: string;
}

/** Something done on purpose that makes other things fail. */
export interface Provocation {
  what: string;
  /** Whose work it may make fail. */
  profileIds: readonly string[] | "all";
  from: number;
  /** Infinity while it lasts. */
  to: number;
  /** How many failures it explains at most. */
  failuresMax: number;
}

export interface Judged {
  provoked: { failure: Failure; by: Provocation }[];
  unprovoked: Failure[];
}

export interface Ledger {
  /** How often each kind of thing was done well. */
  done: ReadonlyMap<string, number>;
  failures: readonly Failure[];
  /** What nothing explains. */
  wrongs: readonly string[];
  provocations: readonly Provocation[];
  count(what: string): void;
  fail(failure: Failure): void;
  wrong(message: string): void;
  /** Does `work`, and counts it or notes its failure; gives null for a failure. */
  attempt<Result>(
    what: string,
    profileId: string | null,
    work: () => Promise<Result>,
  ): Promise<Result | null>;
  /** Opens a provocation; whoever opened it sets its end. */
  provoke(what: string, profileIds: Provocation["profileIds"], failuresMax?: number): Provocation;
}

/** What has been begun before its cause is over may still fail a moment later, on a busy machine. */
const afterMs = 5_000;

/** Ends a provocation: what begins a moment later must succeed. */
export function endProvocation(provocation: Provocation): void {
  provocation.to = Date.now() + afterMs;
}

export function createLedger(): Ledger {
  const done = new Map<string, number>();
  const failures: Failure[] = [];
  const wrongs: string[] = [];
  const provocations: Provocation[] = [];
  const count = (what: string) => void done.set(what, (done.get(what) ?? 0) + 1);
  return {
    done,
    failures,
    wrongs,
    provocations,
    count,
    fail: (failure) => void failures.push(failure),
    wrong: (message) => void wrongs.push(message),
    async attempt(what, profileId, work) {
      const from = Date.now();
      try {
        const result = await work();
        count(what);
        return result;
      } catch (error) {
        const message = error instanceof Error ? error.message : String(error);
        failures.push({ what, profileId, from, to: Date.now(), message });
        return null;
      }
    },
    provoke(what, profileIds, failuresMax = Number.POSITIVE_INFINITY) {
      const provocation = { what, profileIds, from: Date.now(), to: Number.POSITIVE_INFINITY, failuresMax };
      provocations.push(provocation);
      return provocation;
    },
  };
}

/** Finds for each failure what explains it: something that was done to its profile, or to all, while it was under way. */
export function judge(failures: readonly Failure[], provocations: readonly Provocation[]): Judged {
  const left = new Map(provocations.map((provocation) => [provocation, provocation.failuresMax]));
  const judged: Judged = { provoked: [], unprovoked: [] };
  for (const failure of failures) {
    const by = provocations.find(
      (provocation) => explains(provocation, failure) && (left.get(provocation) ?? 0) > 0,
    );
    if (by === undefined) {
      judged.unprovoked.push(failure);
      continue;
    }
    left.set(by, (left.get(by) ?? 0) - 1);
    judged.provoked.push({ failure, by });
  }
  return judged;
}

function explains({ profileIds, from, to }: Provocation, failure: Failure): boolean {
  const isMeant =
    profileIds === "all" ||
    failure.anybodys === true ||
    (failure.profileId !== null && profileIds.includes(failure.profileId));
  return isMeant && failure.from <= to && failure.to >= from;
}
