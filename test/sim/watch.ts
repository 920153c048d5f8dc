/** Checks the open library's tables: invariants after each step, and acknowledged facts whenever they are read from the drive. */
import type { Library } from "../../actors/library/library.ts";
import type { ScriptJob } from "../../protocol/messages/profile.ts";
import type { Reader } from "../../storage/sqlite.ts";
import { changesOf, factsIn, isSound, rowsAreInOnePlace, runsAddUp, usesAreCompletedParts } from "./books.ts";
import type { DueTimes } from "./due-times.ts";
import type { Facts } from "./facts.ts";
import type { ThreadLife } from "./threads.ts";
import type { Life, Timeline } from "./timeline.ts";

export class Violation extends Error {}

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
  nobody: Life;
}

export class Watch {
  readonly resetDatasets = new Set<string>();
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
    // A library whose thread is over still has memory to free.
    life.buried.push(() => this.#bury(life, library));
    this.look((sql) => this.#readAnew(sql, opened));
  }

  given({ runId, profileId, rows = [] }: ScriptJob & { profileId: string }): void {
    if (rows.length > 0)
      this.#given.set(
        `${runId} ${profileId}`,
        rows.map((row) => row.tag ?? ""),
      );
  }

  check(life: Life): void {
    const open = this.#library;
    if (open === null || open.life !== life) return; // Only this life changes the tables.
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

  checkFacts(): void {
    this.look((sql) => hold(this.#parts.facts.disproved(factsIn(sql))));
  }

  /** Runs `work` on the open library's tables; returns false when none is open. */
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

  /** The tables were read from the drive: a library was opened, or its disk failed. */
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
