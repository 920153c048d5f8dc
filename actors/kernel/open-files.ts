/** The soft limit of open files, which Node raises to the hard one at its start: below 1,024 Chromium crashes with lines that do not name it. */
import { procFile } from "./proc-file.ts";

const enough = 1_024;

/** Read early: a process without free descriptors cannot read it any more. */
const ownLimits = procFile("/proc/self/limits");

/** What is wrong with the limit, and the remedy; null when it is high enough, or unknown without /proc. `limits`: /proc/self/limits. */
export function fewOpenFiles(limits: string | null = ownLimits): string | null {
  const soft = /^Max open files +(\d+)/m.exec(limits ?? "")?.[1];
  if (soft === undefined || Number(soft) >= enough) return null;
  return `only ${soft} files can be open at once; raise the limit of this service, as with: ulimit -n 4096`;
}
