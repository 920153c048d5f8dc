/** What a soak did, which failures happened, and which provocations explain them. */

export interface Failure {
  what: string;
  profileId: string | null;
  /** Names no profile: a provocation of any profile explains it. */
  anybodys?: true;
  from: number;
  to: number;
  message: string;
}

/** A deliberate act that makes other things fail. */
export interface Provocation {
  what: string;
  profileIds: readonly string[] | "all";
  from: number;
  to: number;
  failuresMax: number;
}

export interface Judged {
  provoked: { failure: Failure; by: Provocation }[];
  unprovoked: Failure[];
}

export interface Ledger {
  done: ReadonlyMap<string, number>;
  failures: readonly Failure[];
  wrongs: readonly string[];
  provocations: readonly Provocation[];
  count(what: string): void;
  fail(failure: Failure): void;
  wrong(message: string): void;
  /** Runs `work`, and counts it or records its failure; returns null for a failure. */
  attempt<Result>(
    what: string,
    profileId: string | null,
    work: () => Promise<Result>,
  ): Promise<Result | null>;
  provoke(what: string, profileIds: Provocation["profileIds"], failuresMax?: number): Provocation;
}

/** On a busy machine, work that began before the end may fail a moment later. */
const afterMs = 5_000;

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

/** Finds each failure's cause: a provocation of its profile, or of all, at the same time. */
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
