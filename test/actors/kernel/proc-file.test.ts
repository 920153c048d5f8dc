/** Kernel files of processes are read without a buffer per file. */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { procFile } from "../../../actors/kernel/proc-file.ts";

const reads = 400;
/** Far below `reads` buffers of 64 KiB. */
const bytesMax = 256 * 1024;

test("a kernel file is read unchanged, and is null for a process that has exited", () => {
  const [pid] = (procFile("/proc/self/stat") ?? "").split(" ");
  assert.equal(pid, String(process.pid));
  assert.equal(procFile("/proc/self/cmdline"), readFileSync("/proc/self/cmdline", "latin1"));
  assert.equal(procFile("/proc/999999999/stat"), null);
});

test("reading the files of many processes leaves no buffers behind", () => {
  procFile("/proc/self/stat");
  const before = process.memoryUsage().arrayBuffers;
  for (let read = 0; read < reads; read++) procFile("/proc/self/stat");
  const grown = process.memoryUsage().arrayBuffers - before;
  assert.ok(grown < bytesMax, `${reads} reads left ${grown} bytes`);
});
