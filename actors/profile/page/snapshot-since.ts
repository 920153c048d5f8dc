/** Versions of a tab's snapshots, and what has changed since one of them. */
import type { Line } from "./snapshot-text.ts";

/** Lines of all versions together; the newest is kept whatever its size. */
const linesMax = 40_000;

interface FlatLine {
  key: string;
  /** Of the nearest line above with an id. */
  parent: string;
  depth: number;
  head: string;
}

/** One version: of which document and query, and its lines in order. */
interface Version {
  of: string;
  lines: FlatLine[];
}

interface Added {
  version: string;
  /** One line each: `+` came, `~` changed, `-` went. Null: the earlier version is unknown, or of another document or query. */
  changes: string[] | null;
}

export class SnapshotVersions {
  readonly #kept = new Map<string, Version>();
  #last = 0;

  /** Keeps the lines as a new version. `of` names their document and query. */
  add(lines: readonly Line[], of: string, since: string | undefined): Added {
    const now = flattened(lines);
    const before = since === undefined ? undefined : this.#kept.get(since);
    this.#last += 1;
    const version = String(this.#last);
    this.#kept.set(version, { of, lines: now });
    let total = 0;
    for (const one of this.#kept.values()) total += one.lines.length;
    for (const [old, { lines: gone }] of this.#kept) {
      if (total <= linesMax || old === version) break;
      this.#kept.delete(old);
      total -= gone.length;
    }
    return { version, changes: before?.of === of ? changesBetween(before.lines, now) : null };
  }
}

function flattened(lines: readonly Line[]): FlatLine[] {
  const flat: FlatLine[] = [];
  const seen = new Map<string, number>();
  const visit = (line: Line, parent: string, depth: number): void => {
    // Texts have no ids of their own, and may repeat the id of the element around them.
    const name = `${line.role} ${line.id ?? `in ${parent}`}`;
    const times = (seen.get(name) ?? 0) + 1;
    seen.set(name, times);
    flat.push({ key: `${name} ${times}`, parent, depth, head: line.head });
    const inner = line.id === null ? parent : ` [id=${line.id}]`;
    for (const below of line.below) visit(below, inner, depth + 1);
  };
  for (const line of lines) visit(line, "", 0);
  return flat;
}

function changesBetween(before: readonly FlatLine[], now: readonly FlatLine[]): string[] {
  const old = new Map(before.map((line) => [line.key, line.head]));
  const kept = new Set<string>();
  const changes: string[] = [];
  /** Depths of the lines that came, from the topmost one down to the last one. */
  let top: number | null = null;
  for (const { key, parent, depth, head } of now) {
    const known = old.get(key);
    if (top !== null && depth <= top) top = null;
    if (known !== undefined) {
      kept.add(key);
      if (known !== head) changes.push(`~ ${head}`);
      continue;
    }
    if (top === null) {
      top = depth;
      changes.push(`+ ${head}${parent === "" ? "" : ` in${parent}`}`);
    } else changes.push(`+ ${"  ".repeat(depth - top)}${head}`);
  }
  let goneAt: number | null = null;
  for (const { key, depth, head } of before) {
    if (goneAt !== null && depth <= goneAt) goneAt = null;
    if (kept.has(key)) continue;
    if (goneAt !== null) continue; // It went with the line above.
    goneAt = depth;
    changes.push(`- ${head}`);
  }
  return changes;
}
