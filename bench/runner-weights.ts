/** Measures the memory of a sandboxed process that has loaded its library and waits for a script. */
import { mkdir, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { probeIsolation } from "../actors/script/isolation.ts";
import { startRunner } from "../actors/script/spawn.ts";

export const scriptLibraries = ["playwright", "puppeteer"] as const;

/** Resident bytes by library, including shared pages of the Node binary. */
export async function runnerWeights(): Promise<Record<string, number>> {
  const isolation = await probeIsolation();
  const weights: Record<string, number> = {};
  const root = await mkdtemp(join(tmpdir(), "troupe-bench-runners-"));
  const dirs = { uploadsDir: join(root, "uploads"), tempDir: join(root, "tmp") };
  try {
    await Promise.all(Object.values(dirs).map((dir) => mkdir(dir)));
    for (const library of scriptLibraries) {
      const runner = await startRunner({ library, approved: true }, isolation, dirs);
      await runner.ready;
      weights[library] = (await runner.residentBytes()) ?? Number.NaN;
      await runner.discard();
    }
  } finally {
    await rm(root, { recursive: true, force: true });
  }
  return weights;
}
