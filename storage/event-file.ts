/** Keeps the last events in a file, a JSON line each. Written a moment later: a crash may lose the last ones, and then ids jump. */
import type { StoredEvent } from "../protocol/events.ts";
import type { Disk, DiskFile } from "./disk.ts";

export interface EventFile {
  /** The last ones before the start, oldest first. */
  readonly kept: StoredEvent[];
  /** The id of the next event. */
  readonly next: number;
  append(events: readonly StoredEvent[]): void;
  /** Writes what is pending. */
  close(): void;
}

export interface EventFileOptions {
  disk: Disk;
  path: string;
  keptMax: number;
  /** Calls it a moment later. */
  soon(act: () => void): void;
  /** Gets write errors, which lose events of a later start only. */
  failed(error: unknown): void;
}

/** A write that the last process had not made may have had these ids. */
const jump = 100_000;
const cleanEnd = '"end"';

/** At most `keptMax` events. Throws system errors when the file cannot be read. */
export function openEventFile({ disk, path, keptMax, soon, failed }: EventFileOptions): EventFile {
  const { kept, clean } = read(disk.read(path), keptMax);
  let recent = [...kept];
  let file: DiskFile | null = null;
  let [bytes, lines] = [0, 0];
  const pending: StoredEvent[] = [];
  let waiting = false;

  /** Begins the file anew with the recent events. */
  const renew = (): DiskFile => {
    file?.close();
    const fresh = disk.create(`${path}.new`);
    const text = Buffer.from(recent.map(lineOf).join(""));
    fresh.write(text, 0);
    disk.rename(`${path}.new`, path);
    [bytes, lines] = [text.length, recent.length];
    return fresh;
  };
  const put = (target: DiskFile, text: string) => {
    const added = Buffer.from(text);
    target.write(added, bytes);
    bytes += added.length;
  };
  const flush = () => {
    waiting = false;
    const events = pending.splice(0);
    if (events.length === 0) return;
    try {
      if (file === null || lines + events.length > 2 * keptMax) {
        file = renew();
        return;
      }
      put(file, events.map(lineOf).join(""));
      lines += events.length;
    } catch (error) {
      failed(error);
    }
  };
  try {
    file = renew(); // Without a clean end from here on: a crash before the first write counts as one.
  } catch (error) {
    failed(error);
  }
  return {
    kept,
    next: (kept.at(-1)?.id ?? 0) + 1 + (clean ? 0 : jump),
    append(events) {
      recent.push(...events);
      if (recent.length > 2 * keptMax) recent = recent.slice(-keptMax);
      pending.push(...events);
      if (waiting) return;
      waiting = true;
      soon(flush);
    },
    close() {
      flush();
      try {
        file ??= renew();
        put(file, `${cleanEnd}\n`);
        file.close();
      } catch (error) {
        failed(error);
      }
    },
  };
}

const lineOf = (event: StoredEvent) => `${JSON.stringify(event)}\n`;

function read(bytes: Uint8Array | null, keptMax: number): { kept: StoredEvent[]; clean: boolean } {
  if (bytes === null) return { kept: [], clean: true };
  const lines = Buffer.from(bytes).toString("utf8").trimEnd().split("\n");
  const kept = lines.flatMap((line): StoredEvent[] => {
    try {
      const read: unknown = JSON.parse(line);
      return typeof read === "object" && read !== null && "id" in read ? [read as StoredEvent] : [];
    } catch {
      return []; // A line that a crash has cut.
    }
  });
  return { kept: kept.slice(-keptMax), clean: lines.at(-1) === cleanEnd };
}
