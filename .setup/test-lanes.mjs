/** Which test files run beside which, by what was measured of them. */
import { availableParallelism } from "node:os";

/** Two files at once for two cores: three at once of the browsers' took no less time there, and waits ran out. More than four have not been tried. */
export const lanes = Math.min(4, Math.max(2, Math.floor((availableParallelism() * 3) / 4)));
/** They begin first, in processes of their own, so that no lane is left alone with one of them at the end. */
export const longest = [
  "storage/crash-long",
  "actors/scheduler-year-long",
  "actors/dsl/compile-long",
  "gateway/proxies",
  "gateway/command-line",
  "browser/identity-rig-long",
  "browser/page-runs-long",
  "browser/page-blocks-long",
  "browser/dsl-flows",
  "browser/identity-ids-long",
  "browser/demo-long",
  "browser/end-to-end",
  "browser/runs",
].map((name) => `test/${name}.test.ts`);
/** Browser tests that wait for more than they work, one after another beside the others. */
export const waiting = [
  "test/browser/kept-storage.test.ts",
  "test/browser/open-window.test.ts",
  "test/hostile/browser/script-tampering.test.ts",
];
