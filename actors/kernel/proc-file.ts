/** Small files that the kernel generates at each read, such as `/proc/self/stat`. */
import { readFileSync } from "node:fs";

/** Null when the file is missing. Synchronous: an asynchronous read is slower and allocates 64 KiB (bench/FINDINGS.md, "Memory"). */
export function procFile(path: string): string | null {
  try {
    return readFileSync(path, "utf8"); // Another encoding would allocate the 64 KiB too.
  } catch {
    return null;
  }
}

/** Of this start of the machine; null where the kernel does not say. */
export const bootId = (): string | null => procFile("/proc/sys/kernel/random/boot_id")?.trim() ?? null;
