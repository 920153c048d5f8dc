/** Watches the tables of the library that is open: what must be true after each step, and what must be there when they are read from the drive. */
import type { Library } from "../../actors/library/library.ts";
import type { ScriptJob } from "../../protocol/messages/profile.ts";
import type { Reader } from "../../storage/sqlite.ts";
import { changesOf, factsIn, isSound, rowsAreInOnePlace, runsAddUp, usesAreCompletedParts } from "./books.ts";
import type { DueTimes } from "./due-times.ts";
import type { Facts } from "./facts.ts";
import type { ThreadLife } from "./threads.ts";
import type { Life, Timeline } from "./timeline.ts";

/** Something is not as it must be. */
export class Violation extends Error {}

/** The library that is open, and its tables in memory. */
interface Opened {
  life: ThreadLife;
  library: Library;
  tables: Reader | null;
  changes: number;
}

interface WatchParts {
  timeline: Timeline;
  facts: Facts;
  dueTimes: DueTimes;
  note(what: string): void;
  /** In whose name a library is closed that is over. */
  nobody: Life;
}

export class Watch {
  readonly resetDatasets = new Set<string>();
  /** Tags of the rows that parts were given, by part. */
  readonly #given = new Map<string, string[]>();
  readonly #parts: WatchParts;
  #library: Opened | null = null;

  constructor(parts: WatchParts) {
    this.#parts = parts;
  }

  opened(life: ThreadLife, library: Library): void {
    this.#parts.note("a library is open");
    const opened: Opened = { life, library, tables: null, changes: 0 };
    this.#library = opened;
    // Also a thread that is over has memory to give back.
    life.buried.push(() => this.#bury(life, library));
    this.look((sql) => this.#readAnew(sql, opened));
  }

  /** A script has been given its rows. */
  given({ runId, profileId, rows = [] }: ScriptJob & { profileId: string }): void {
    if (rows.length > 0)
      this.#given.set(
        `${runId} ${profileId}`,
        rows.map((row) => row.tag ?? ""),
      );
  }

  /** After a step of this life. */
  check(life: Life): void {
    const open = this.#library;
    if (open === null || open.life !== life) return; // Nobody else changes the tables.
    this.look((sql) => {
      if (sql !== open.tables) return this.#readAnew(sql, open);
      const changes = changesOf(sql);
      if (changes === open.changes) return;
      open.changes = changes;
      hold(this.#parts.dueTimes.wrong(sql, this.#parts.timeline.wall));
      hold(runsAddUp(sql));
      hold(rowsAreInOnePlace(sql));
      hold(usesAreCompletedParts(sql, this.#given, this.resetDatasets));
    });
  }

  /** All that was acknowledged is there. */
  checkFacts(): void {
    this.look((sql) => hold(this.#parts.facts.disproved(factsIn(sql))));
  }

  /** One look at the tables, if a library is open; false when none is. */
  look(work: (sql: Reader) => void): boolean {
    const open = this.#library;
    if (open === null || open.life.over) return false;
    let looked = false;
    let isLate = false;
    let failure: unknown = null;
    this.#inTheNameOf(open.life, () => {
      open.library
        .look((sql) => {
          if (isLate) return;
          looked = true;
          try {
            work(sql);
          } catch (error) {
            failure = error;
          }
        })
        .catch(() => {});
    });
    isLate = true;
    if (failure !== null) throw failure;
    return looked;
  }

  /** What is on the drive has been read: when a library opens, and when its disk has refused something. */
  #readAnew(sql: Reader, opened: Opened): void {
    opened.tables = sql;
    hold(isSound(sql));
    hold(this.#parts.facts.disproved(factsIn(sql)));
    this.#parts.dueTimes.reopened(sql);
  }

  #bury(life: ThreadLife, library: Library): void {
    this.#parts.facts.libraryOver();
    if (this.#library?.life === life) this.#library = null;
    this.#inTheNameOf(this.#parts.nobody, () => void library.close({}).catch(() => {}));
  }

  #inTheNameOf(life: Life, work: () => void): void {
    const { timeline } = this.#parts;
    const before = timeline.life;
    timeline.life = life;
    work();
    timeline.life = before;
  }
}

function hold(wrong: string | null): void {
  if (wrong !== null) throw new Violation(wrong);
}
