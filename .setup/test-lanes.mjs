/** Which test files run in parallel, based on measured durations. */
import { availableParallelism } from "node:os";

/** Of browser tests. More at a time than cores make some of them time out. */
export const lanes = Math.min(4, Math.max(2, Math.floor((availableParallelism() * 3) / 4)));
/** Start first, so that none runs alone at the end. */
export const longest = [
  "storage/crash-long",
  "gateway/hung-calls-long",
  "actors/scheduler-year-long",
  "actors/dsl/compile-long",
  "gateway/profile-copies-long",
  "gateway/command-line",
  "gateway/proxies",
  "browser/identity-rig-long",
  "browser/page-runs-long",
  "browser/page-blocks-long",
  "browser/dsl-flows-long",
  "browser/identity-ids-long",
  "browser/demo-long",
  "browser/end-to-end-long",
  "browser/pool-ends-long",
  "browser/run-ends-long",
  "browser/runs",
  "browser/profile-life",
  "browser/page-tabs-long",
].map((name) => `test/${name}.test.ts`);
/** Browser tests that mostly wait: run in sequence, in parallel with the others. */
export const waiting = [
  "test/browser/kept-storage-long.test.ts",
  "test/browser/open-window-long.test.ts",
  "test/hostile/browser/script-tampering-long.test.ts",
];
