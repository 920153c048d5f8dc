/** Suite `scripts`: a warm runner from job to result, what a runner weighs, and contract checks beside other calls. */
import { mkdir, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { checkContract } from "../actors/contract/check.ts";
import { systemClock } from "../actors/kernel/clock.ts";
import { createLog } from "../actors/kernel/log.ts";
import { createScriptHost } from "../actors/profile/script-host.ts";
import { probeIsolation } from "../actors/script/isolation.ts";
import { startRunner } from "../actors/script/spawn.ts";
import { withBareBrowser } from "./launchers.ts";
import { withServed } from "./served.ts";
import { announce, median, quantile, report, samplesTable } from "./table.ts";

const rounds = 15;
const checks = 20;
const libraries = ["playwright", "puppeteer"] as const;
const mb = 1024 ** 2;

const trivial = "export default async function run({ page }) { return page.url(); }";
const line = '  await page.locator("#total").waitFor({ timeout: 1_000 }); log.info(variables.name);';
const long = `import { chromium } from "playwright-core";
export default async function run({ page, log, variables }) {
${Array.from({ length: 1_997 }, () => line).join("\n")}
}`;

export async function runScriptsSuite(): Promise<void> {
  const conditions = announce(
    "scripts",
    `${rounds} warm starts of each library, ${checks} checks of 2,000 lines`,
  );
  const root = await mkdtemp(join(tmpdir(), "troupe-bench-scripts-"));
  try {
    const samples = new Map(await withBareBrowser((cdpUrl) => warmStarts(root, cdpUrl)));
    const weights = await runnerWeights(root);
    const { alone, beside } = await checksBesideCalls();
    const checkMs = Array.from({ length: checks }, () => timed(() => void checkContract(long)));
    samples.set("contract check, 2,000 lines", checkMs);
    samples.set("GET capacity alone", alone);
    samples.set("GET capacity beside checks", beside);
    const p50 = (name: string) => median(samples.get(name) ?? []);
    report(
      "scripts",
      `${samplesTable(samples, "puppeteer", 1)}\n\na runner that waits: ${Object.entries(weights)
        .map(([library, bytes]) => `${library} ${(bytes / mb).toFixed(0)} MB resident`)
        .join(", ")}`,
      [
        { what: "warm Playwright, job to result, median ms", figure: p50("playwright"), limit: 90 },
        { what: "warm Puppeteer, job to result, median ms", figure: p50("puppeteer"), limit: 60 },
        { what: "contract check of 2,000 lines, median ms", figure: median(checkMs), limit: 100 },
        { what: "GET capacity beside checks, p99 ms", figure: quantile(beside, 0.99), limit: 5 },
      ],
      { ...conditions, samples: Object.fromEntries(samples), weights },
    );
  } finally {
    await rm(root, { recursive: true, force: true, maxRetries: 5 });
  }
}

function timed(work: () => void): number {
  const from = performance.now();
  work();
  return performance.now() - from;
}

async function warmStarts(root: string, cdpUrl: string): Promise<[string, number[]][]> {
  const uploadsDir = join(root, "uploads");
  await mkdir(uploadsDir);
  const host = createScriptHost({
    log: createLog("bench"),
    clock: systemClock,
    cdpHttpUrl: () => cdpUrl,
    profile: { id: "bench", name: "Bench" },
    uploadsDir,
    tempDir: join(root, "tmp"),
  });
  const samples = new Map<string, number[]>(libraries.map((library) => [library, []]));
  for (let round = 0; round < rounds; round += 1)
    for (const library of libraries) {
      await host.warm({ library, approved: true });
      const from = performance.now();
      const outcome = await host.run({
        runId: `${library}-${round}`,
        source: trivial,
        scriptName: "trivial",
        library,
        approved: true,
        variables: {},
        scratchDir: join(root, "scratch"),
        timeoutMs: 60_000,
      });
      if (outcome.status !== "completed") throw new Error(outcome.error ?? "it did not complete");
      samples.get(library)?.push(performance.now() - from);
    }
  await host.close();
  return [...samples];
}

async function runnerWeights(root: string): Promise<Record<string, number>> {
  const isolation = await probeIsolation();
  const weights: Record<string, number> = {};
  for (const library of libraries) {
    const dirs = { uploadsDir: join(root, "uploads"), tempDir: join(root, "tmp") };
    const runner = await startRunner({ library, approved: true }, isolation, dirs);
    await runner.ready;
    weights[library] = (await runner.residentBytes()) ?? Number.NaN;
    await runner.discard();
  }
  return weights;
}

/** Saves of a long script go on one after the other while another caller asks for the capacity. */
async function checksBesideCalls(): Promise<{ alone: number[]; beside: number[] }> {
  return withServed(async ({ rest }) => {
    const ask = async () => {
      const from = performance.now();
      await rest.get("/v1/capacity");
      return performance.now() - from;
    };
    const asks = async (goesOn: (asked: number) => boolean) => {
      const taken: number[] = [];
      while (goesOn(taken.length)) taken.push(await ask());
      return taken;
    };
    await rest.post("/v1/scripts", { name: "long", source: long }); // Starts the task thread.
    await asks((asked) => asked < 200);
    const alone = await asks((asked) => asked < 2_000);
    let saving = true;
    const saves = (async () => {
      for (let save = 0; save < checks; save += 1)
        await rest.post("/v1/scripts", { name: "long", source: long });
      saving = false;
    })();
    const beside = await asks(() => saving);
    await saves;
    return { alone, beside };
  });
}
