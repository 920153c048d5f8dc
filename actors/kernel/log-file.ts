/** The log's file in the data directory. Writing never throws or waits. Lines that the disk refuses are on stderr only. */
import { constants, openSync, writeSync } from "node:fs";
import { type FileHandle, lstat, mkdir, open, rename } from "node:fs/promises";
import { join } from "node:path";
import { diskFault } from "../../protocol/disk-fault.ts";
import { Fault, faultRecord } from "../../protocol/faults.ts";
import { limits } from "../../protocol/limits.ts";
import { type Clock, systemClock } from "./clock.ts";
import { withDeadline } from "./deadline.ts";

export interface LogFile {
  write(text: string): void;
  /** Creates the file in this directory or appends to it. Lines written before the call come first. */
  open(dir: string): void;
  /** Resolves when all lines are written, or the disk has refused them. */
  close(): Promise<void>;
}

/** A disk that does not answer must not delay the end of the service. */
const closeMs = 2_000;

export const logFileName = "troupe.log";

interface OpenFile {
  handle: FileHandle;
  bytes: number;
  inode: number;
}

/** The name of the file that was rotated `age` times. */
function rotatedName(age: number): string {
  return age === 0 ? logFileName : logFileName.replace(/\.log$/, `.${age}.log`);
}

type Phase =
  | { name: "gathering" }
  | { name: "open"; dir: string }
  | { name: "refused"; dir: string; againAt: number }
  | { name: "closed" };

/** `refused` is called when the disk refuses a line, and again only after a successful write. */
export function createLogFile(
  refused: (why: string) => void,
  sizes: { bytesMax: number; filesMax: number } = {
    bytesMax: limits.logFileBytesMax,
    filesMax: limits.logFilesMax,
  },
  clock: Pick<Clock, "now"> = systemClock,
): LogFile {
  let phase: Phase = { name: "gathering" };
  let waiting: string[] = [];
  let waitingChars = 0;
  let lost = 0;
  let file: OpenFile | null = null;
  let flushing: Promise<void> | null = null;

  const taken = () => {
    const text = waiting.join("");
    waiting = [];
    waitingChars = 0;
    return text;
  };
  /** Starts with a line end, because the failed write may have stopped within a line. */
  const gap = (missing: number) => {
    const at = new Date(clock.now()).toISOString();
    const message = "lines are missing here, because the disk refused them";
    return `\n${JSON.stringify({ at, level: "warn", scope: "gateway", message, missing })}\n`;
  };
  const drop = async () => {
    const { handle } = file ?? {};
    file = null;
    await handle?.close().catch(() => {}); // The disk fails.
  };
  const append = async (dir: string, text: string) => {
    if (file !== null && !(await hasItsName(file, dir))) await drop();
    file ??= await openFile(dir);
    const missing = lost;
    const bytes = Buffer.from(missing > 0 ? gap(missing) + text : text);
    if (file.bytes > 0 && file.bytes + bytes.length > sizes.bytesMax) {
      await file.handle.close();
      file = null;
      await rotate(dir, sizes.filesMax);
      file = await openFile(dir);
    }
    await file.handle.appendFile(bytes);
    file.bytes += bytes.length;
    lost -= missing;
  };
  const flush = async (dir: string) => {
    while (waiting.length > 0) {
      const lines = waiting.length;
      try {
        await append(dir, taken());
        if (phase.name === "refused") phase = { name: "open", dir };
      } catch (error) {
        lost += lines;
        await drop();
        if (phase.name === "open") refused(faultRecord(diskFault(error, join(dir, logFileName))).message);
        if (phase.name !== "closed")
          phase = { name: "refused", dir, againAt: clock.now() + limits.logRetryMs };
        return;
      }
    }
  };
  const begin = (dir: string) => {
    flushing ??= flush(dir).finally(() => {
      flushing = null;
      if (phase.name === "open" && waiting.length > 0) begin(dir);
    });
  };
  const lastWords = () => {
    if (phase.name !== "open" || waiting.length === 0) return;
    try {
      const file = openSync(join(phase.dir, logFileName), openFlags, 0o600);
      writeSync(file, taken()); // The process ends, which closes the file.
    } catch {
      // The lines are on stderr.
    }
  };
  return {
    write(text) {
      if (phase.name === "closed") return;
      const isFull = waitingChars + text.length > limits.logWaitingCharsMax;
      if (isFull || (phase.name === "refused" && clock.now() < phase.againAt)) {
        lost += 1;
        return;
      }
      waiting.push(text);
      waitingChars += text.length;
      if (phase.name !== "gathering") begin(phase.dir);
    },
    open(dir) {
      phase = { name: "open", dir };
      process.on("exit", lastWords);
      if (waiting.length > 0) begin(dir);
    },
    async close() {
      const written = async () => {
        while (flushing !== null) await flushing;
        await drop();
      };
      await withDeadline(written(), closeMs, "the end of the log").catch(() => {}); // The disk does not answer.
      phase = { name: "closed" };
      process.off("exit", lastWords);
    },
  };
}

const { O_APPEND, O_CREAT, O_WRONLY, O_NOFOLLOW = 0, O_NONBLOCK = 0 } = constants;
/** Without O_NONBLOCK, opening a pipe in place of the file would block for ever. */
const openFlags = O_APPEND | O_CREAT | O_WRONLY | O_NOFOLLOW | O_NONBLOCK;

/** Throws `internal` for a link, a pipe or a file with two names. */
async function openFile(dir: string): Promise<OpenFile> {
  await mkdir(dir, { mode: 0o700 }).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== "EEXIST") throw error;
  });
  if ((await lstat(dir)).isSymbolicLink())
    throw new Fault("internal", `${dir} is a link; put a directory in its place`);
  const path = join(dir, logFileName);
  const handle = await open(path, openFlags, 0o600);
  try {
    const found = await handle.stat();
    if (!found.isFile() || found.nlink > 1)
      throw new Fault("internal", `${path} is not a file of its own; remove it`);
    await handle.chmod(0o600);
    return { handle, bytes: found.size, inode: found.ino };
  } catch (error) {
    await handle.close();
    throw error;
  }
}

/** False when another program, such as logrotate, has moved or removed the file. */
async function hasItsName({ inode }: OpenFile, dir: string): Promise<boolean> {
  const found = await lstat(join(dir, logFileName)).catch(() => null);
  return found?.ino === inode;
}

async function rotate(dir: string, filesMax: number): Promise<void> {
  for (let age = filesMax - 2; age >= 0; age -= 1) {
    await rename(join(dir, rotatedName(age)), join(dir, rotatedName(age + 1))).catch(
      (error: NodeJS.ErrnoException) => {
        if (error.code !== "ENOENT") throw error;
      },
    );
  }
}
