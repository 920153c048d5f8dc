/** Runs ended by limits, by the user or by their own process leave nothing behind. */
import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { readdir } from "node:fs/promises";
import path from "node:path";
import { after, afterEach, before, describe, it } from "node:test";
import { systemClock } from "../../../actors/kernel/clock.ts";
import { createLog } from "../../../actors/kernel/log.ts";
import { createScriptHost } from "../../../actors/profile/script-host.ts";
import { openScriptBench, type ScriptBench } from "../../browser/script-bench.ts";
import { until } from "../../gateway/serve.ts";

let bench: ScriptBench;
before(async () => {
  bench = await openScriptBench();
});
after(() => bench.close());

const puppeteer = { library: "puppeteer" } as const;

function runnerProcesses(): string[] {
  return readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name))
    .filter((pid) => commandOf(pid).includes(path.join(bench.root, "tmp")));
}

function commandOf(pid: string): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, "utf8");
  } catch {
    return "";
  }
}

async function ownWorkspaces(): Promise<string[]> {
  const names = await readdir(path.join(bench.root, "tmp"));
  return names.filter((name) => name.startsWith("script-"));
}

/** A run is answered when its process can do nothing more; its process and directory disappear a moment later. */
async function nothingLeft(): Promise<void> {
  await until("no process and no directory remains", async () => {
    return runnerProcesses().length === 0 && (await ownWorkspaces()).length === 0;
  });
}

describe("a run ends, with a clear error and no process left,", () => {
  afterEach(nothingLeft);

  it("at its time limit, even if the script never yields", async () => {
    const outcome = await bench.run("export default async () => { for (;;); };", {
      ...puppeteer,
      timeoutMs: 200,
    });
    assert.deepEqual([outcome.status, outcome.error], ["failed", "the script ran longer than 200 ms"]);
  });

  it("at its time limit, after the signal was aborted", async () => {
    const outcome = await bench.run(
      `export default async ({ signal, sleep, output }) => {
        try { await sleep(60_000); } catch { output({ told: signal.aborted }); }
      };`,
      { ...puppeteer, timeoutMs: 200 },
    );
    assert.deepEqual(
      [outcome.status, outcome.error, outcome.output],
      ["failed", "the script ran longer than 200 ms", [{ told: true }]],
    );
  });

  it("when its heap is full", async () => {
    const outcome = await bench.run(
      "export default async () => { const all = []; for (;;) all.push(new Array(1000).fill({})); };",
      puppeteer,
    );
    assert.match(outcome.error ?? "", /more memory than allowed/);
  });

  it("when its buffers exceed the memory limit", async () => {
    const outcome = await bench.run(
      `export default async ({ sleep }) => {
        const all = [];
        for (;;) { all.push(Buffer.alloc(8_000_000, 1)); if (all.length > 70) await sleep(100); }
      };`,
      puppeteer,
    );
    assert.match(outcome.error ?? "", /more memory than allowed/);
  });

  for (const [what, body] of [
    ["its log", "for (;;) log.info('x'.repeat(1000));"],
    ["its console's output", "for (;;) { console.table(['x'.repeat(1000)]); await sleep(0); }"],
  ])
    it(`when ${what} exceeds the limit`, async () => {
      const outcome = await bench.run(`export default async ({ log, sleep }) => { ${body} };`, puppeteer);
      assert.match(outcome.error ?? "", /logged more than/);
    });

  it("when it outputs too many rows", async () => {
    const outcome = await bench.run(
      "export default async ({ output }) => { for (;;) output({ a: 1 }); };",
      puppeteer,
    );
    assert.match(outcome.error ?? "", /output more than/);
  });

  it("when its process exits by itself", async () => {
    const outcome = await bench.run("export default async () => { process.exit(3); };", puppeteer);
    assert.match(outcome.error ?? "", /ended before run did \(exit code 3\)/);
  });

  it("when it is aborted", async () => {
    const job = bench.job(
      "export default async ({ page, sleep }) => { await page.evaluate(() => { document.title = 'begun'; }); await sleep(60_000); };",
      puppeteer,
    );
    const done = bench.host.run(job);
    // Only the title shows from outside that the script runs.
    for (let title = ""; title !== "begun"; ) {
      const targets: unknown = await (await fetch(`${bench.cdpUrl}/json/list`)).json();
      title = JSON.stringify(targets).includes('"title":"begun"') ? "begun" : "";
    }
    bench.host.abort(job.runId, "cancelled by the user");
    const outcome = await done;
    assert.deepEqual([outcome.status, outcome.error], ["failed", "cancelled by the user"]);
  });

  it("when it is aborted before it starts", async () => {
    const job = bench.job("export default async () => 1;", puppeteer);
    const done = bench.host.run(job);
    bench.host.abort(job.runId, "too late");
    assert.equal((await done).error, "too late");
  });

  it("when the host closes, and so does the warm runner", async () => {
    const host = createScriptHost({
      handoff: async () => "refused",
      log: createLog("test"),
      clock: systemClock,
      browser: () => bench.browser,
      profile: { id: "one", name: "One" },
      uploadsDir: bench.uploadsDir,
      tempDir: path.join(bench.root, "tmp"),
    });
    void host.warm({ library: "puppeteer", approved: true });
    const ended = await host.run(bench.job("export default async () => 1;", puppeteer));
    assert.equal(ended.result, 1);
    void host.warm({ library: "puppeteer", approved: true });
    const done = host.run(bench.job("export default async () => { for (;;); };"));
    await host.close();
    assert.deepEqual([runnerProcesses(), await ownWorkspaces()], [[], []], "at once, without waiting");
    assert.equal((await done).error, "the profile was stopped");
    assert.equal(
      (await host.run(bench.job("export default async () => 1;"))).error,
      "the profile is stopping",
    );
  });

  it("when no browser can be attached", async () => {
    const host = createScriptHost({
      handoff: async () => "refused",
      log: createLog("test"),
      clock: systemClock,
      browser: () => ({
        ...bench.browser,
        openClient: () => Promise.reject(new Error("the browser is gone")),
      }),
      profile: { id: "one", name: "One" },
      uploadsDir: bench.uploadsDir,
      tempDir: path.join(bench.root, "tmp"),
    });
    assert.match(
      (await host.run(bench.job("export default async () => 1;"))).error ?? "",
      /the browser is gone/,
    );
    await host.close();
  });
});
