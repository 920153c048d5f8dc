/** Several test files in one process: each is a suite, whose hooks are those of the file. */
import { deepEqual } from "node:assert/strict";
import { after, suite } from "node:test";

const environment = { ...process.env };

/** @param {[name: string, url: string][]} files */
export function runGroup(files) {
  for (const [name, url] of files) {
    suite(name, async () => {
      await import(url);
      // The last of its hooks.
      after(() => deepEqual({ ...process.env }, environment, "the file leaves process.env as it found it"));
    });
  }
}
