/** Refuses anything else in place of a file or directory of ours. Opening a pipe would block the thread for ever, even for signals. */
import { type Stats, statSync } from "node:fs";
import { Fault } from "./faults.ts";

/** Whether the path leads to a regular file. */
export function isFile(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isFile() === true;
}

/** Throws `internal` with the path and the remedy for anything but a regular file. A missing file is accepted. */
export function refuseNoFile(path: string): void {
  const found = statSync(path, { throwIfNoEntry: false });
  if (found?.isFile() === false) throw unfit(path, `${kindOf(found)}; remove it`);
}

/** As `refuseNoFile`, for a directory. */
export function refuseNoDirectory(path: string): void {
  const found = statSync(path, { throwIfNoEntry: false });
  if (found?.isDirectory() === false)
    throw unfit(path, `${kindOf(found)}, and must be a directory; remove it`);
}

function unfit(path: string, what: string): Fault {
  return new Fault("internal", `${path} is ${what}`, { code: "data-dir-unfit" });
}

function kindOf(found: Stats): string {
  if (found.isFile()) return "a file";
  if (found.isDirectory()) return "a directory";
  return found.isFIFO() ? "a named pipe" : found.isSocket() ? "a socket" : "a device";
}
