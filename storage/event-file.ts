/** Keeps the last events in a file, a JSON line each. Written a moment later: a crash may lose the last ones, and then ids jump. */
import type { ServiceEvent, StoredEvent } from "../protocol/events.ts";
import type { Disk, DiskFile } from "./disk.ts";

export interface EventFile {
  /** The last ones, oldest first. */
  kept(): readonly StoredEvent[];
  append(events: readonly ServiceEvent[]): void;
  /** Writes what is pending. */
  close(): void;
}

export interface EventFileOptions {
  disk: Disk;
  path: string;
  /** At least so many events are kept, and at most twice as many. */
  keptMax: number;
  /** Calls it a moment later. */
  soon(act: () => void): void;
  /** Gets write errors, which lose events of a later start only. */
  failed(error: unknown): void;
}

/** A write that the last process had not made may have had these ids. */
const jump = 100_000;
/** The last line while a process writes, and after it has closed the file. */
const marks = { open: '"open"', closed: '"closed"' };

/** Throws system errors when the file cannot be read. */
export function openEventFile({ disk, path, keptMax, soon, failed }: EventFileOptions): EventFile {
  const before = disk.read(path);
  const { events, clean } = parsed(before);
  let kept = events.slice(-keptMax);
  let next = (kept.at(-1)?.id ?? 0) + 1 + (clean ? 0 : jump);
  let file: DiskFile | null = null;
  let bytes = before?.length ?? 0;
  let lines = events.length;
  const pending: StoredEvent[] = [];

  const attempt = (write: () => void) => {
    try {
      write();
    } catch (error) {
      failed(error);
    }
  };
  const put = (text: string) => {
    file ??= before === null ? disk.create(path) : disk.open(path);
    const added = Buffer.from(text);
    file.write(added, bytes);
    bytes += added.length;
  };
  /** Begins the file anew with the kept events. */
  const shorten = () => {
    file?.close();
    file = disk.create(`${path}.new`);
    [bytes, lines] = [0, kept.length];
    put(kept.map(lineOf).join(""));
    disk.rename(`${path}.new`, path);
  };
  const flush = () => {
    const written = pending.splice(0);
    if (written.length === 0) return;
    attempt(() => {
      lines += written.length;
      if (lines > 2 * keptMax) shorten();
      else put(written.map(lineOf).join(""));
    });
  };
  // A crash may have cut the last line.
  attempt(() => put(`\n${marks.open}\n`));
  return {
    kept: () => kept,
    append(given) {
      if (pending.length === 0) soon(flush);
      const stored = given.map((event): StoredEvent => ({ id: next++, event }));
      pending.push(...stored);
      kept.push(...stored);
      if (kept.length > 2 * keptMax) kept = kept.slice(-keptMax);
    },
    close() {
      flush();
      attempt(() => {
        put(`${marks.closed}\n`);
        file?.close();
      });
    },
  };
}

const lineOf = (event: StoredEvent) => `${JSON.stringify(event)}\n`;

function parsed(bytes: Uint8Array | null): { events: StoredEvent[]; clean: boolean } {
  if (bytes === null) return { events: [], clean: true };
  const lines = Buffer.from(bytes).toString("utf8").trimEnd().split("\n");
  const events = lines.flatMap((line): StoredEvent[] => {
    try {
      const read: unknown = JSON.parse(line);
      return typeof read === "object" && read !== null && "id" in read ? [read as StoredEvent] : [];
    } catch {
      return []; // A line that a crash has cut.
    }
  });
  return { events, clean: lines.at(-1) === marks.closed };
}
