/** Suite `scripts`: warm starts and memory of runners, contract checks, compilations, and other calls during them. */
import { mkdir, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { checkContract } from "../actors/contract/check.ts";
import { compileDsl } from "../actors/dsl/compile.ts";
import { systemClock } from "../actors/kernel/clock.ts";
import { createLog } from "../actors/kernel/log.ts";
import { connect } from "../actors/profile/cdp/connection.ts";
import type { BrowserProcess } from "../actors/profile/chromium/process.ts";
import { createScriptHost } from "../actors/profile/script-host.ts";
import { withBareBrowser } from "./launchers.ts";
import { runnerWeights, scriptLibraries } from "./runner-weights.ts";
import { withServed } from "./served.ts";
import { announce, median, quantile, report, samplesTable } from "./table.ts";

const rounds = 15;
const checks = 20;
const compiles = 60;
const mb = 1024 ** 2;

const trivial = "export default async function run({ page }) { return page.url(); }";
const line = '  await page.locator("#total").waitFor({ timeout: 1_000 }); log.info(variables.name);';
const long = `import { chromium } from "playwright-core";
export default async function run({ page, log, variables }) {
${Array.from({ length: 1_997 }, () => line).join("\n")}
}`;
const document = {
  dslVersion: "1.0",
  steps: Array.from({ length: 200 }, (_, at) =>
    at % 2 === 0
      ? { id: `b${at}`, kind: "click", target: { by: "css", value: `#item-${at}` } }
      : { id: `b${at}`, kind: "log", message: `{{ vars.seen | default:none }} at ${at}` },
  ),
};

export async function runScriptsSuite(): Promise<void> {
  const conditions = announce(
    "scripts",
    `${rounds} warm starts of each library, ${checks} checks of 2,000 lines`,
  );
  const root = await mkdtemp(join(tmpdir(), "troupe-bench-scripts-"));
  try {
    const samples = new Map(await withBareBrowser((cdpUrl, browser) => warmStarts(root, cdpUrl, browser)));
    const weights = await runnerWeights();
    const { alone, besideChecks, besideCompiles } = await callsBesideTasks();
    const checkMs = warmProcessorMs(checks, () => void checkContract(long));
    const compileMs = warmProcessorMs(compiles, () => void compileDsl(document, "playwright"));
    samples.set("contract check, 2,000 lines, processor", checkMs);
    samples.set("DSL compile, 200 blocks, processor", compileMs);
    samples.set("GET capacity alone", alone);
    samples.set("GET capacity beside checks", besideChecks);
    samples.set("GET capacity beside compiles", besideCompiles);
    const p50 = (name: string) => median(samples.get(name) ?? []);
    report(
      "scripts",
      `${samplesTable(samples, "puppeteer", 1)}\n\na runner that waits: ${Object.entries(weights)
        .map(([library, bytes]) => `${library} ${(bytes / mb).toFixed(0)} MB resident`)
        .join(", ")}`,
      [
        { what: "warm Playwright, job to result, median ms", figure: p50("playwright"), limit: 90 },
        { what: "warm Puppeteer, job to result, median ms", figure: p50("puppeteer"), limit: 60 },
        { what: "contract check of 2,000 lines, median processor ms", figure: median(checkMs), limit: 100 },
        { what: "DSL compile of 200 blocks, median processor ms", figure: median(compileMs), limit: 10 },
        { what: "GET capacity beside checks, p99 ms", figure: quantile(besideChecks, 0.99), limit: 5 },
        { what: "GET capacity beside compiles, p99 ms", figure: quantile(besideCompiles, 0.99), limit: 5 },
      ],
      { ...conditions, samples: Object.fromEntries(samples), weights },
    );
  } finally {
    await rm(root, { recursive: true, force: true, maxRetries: 5 });
  }
}

/** Processor time of each round in ms, without the first fifth, because other load affects it less than wall time. */
function warmProcessorMs(rounds: number, work: () => void): number[] {
  const all = Array.from({ length: rounds }, () => {
    const before = process.cpuUsage();
    work();
    const { user, system } = process.cpuUsage(before);
    return (user + system) / 1_000;
  });
  return all.slice(rounds / 5);
}

async function warmStarts(
  root: string,
  cdpUrl: string,
  { pipe }: BrowserProcess,
): Promise<[string, number[]][]> {
  if (pipe === null) throw new Error("the browser was not started");
  const { openClient, backlog, drained } = connect(pipe.output, pipe.input);
  const uploadsDir = join(root, "uploads");
  await mkdir(uploadsDir);
  const host = createScriptHost({
    handoff: async () => "refused",
    log: createLog("bench"),
    clock: systemClock,
    browser: () => ({ cdpUrl, openClient, backlog, drained, settled: async () => {} }),
    profile: { id: "bench", name: "Bench" },
    uploadsDir,
    tempDir: join(root, "tmp"),
  });
  const samples = new Map<string, number[]>(scriptLibraries.map((library) => [library, []]));
  for (let round = 0; round < rounds; round += 1)
    for (const library of scriptLibraries) {
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

/** Measures `GET /v1/capacity` during saves of a long script, then during compilations. */
async function callsBesideTasks() {
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
    const beside = async (rounds: number, task: () => Promise<unknown>) => {
      let busy = true;
      const tasks = (async () => {
        for (let round = 0; round < rounds; round += 1) await task();
        busy = false;
      })();
      const taken = await asks(() => busy);
      await tasks;
      return taken;
    };
    const save = () => rest.post("/v1/scripts", { name: "long", source: long });
    const compile = () => rest.post("/v1/dsl/compile", { dsl: document, target: "playwright" });
    await Promise.all([save(), compile()]);
    await asks((asked) => asked < 200);
    const alone = await asks((asked) => asked < 2_000);
    return {
      alone,
      besideChecks: await beside(checks, save),
      besideCompiles: await beside(compiles * 3, compile),
    };
  });
}
