/** A real Chromium, a fixture site and a script host, for the script tests; all of it ends with `close`. */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import http from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import path from "node:path";
import { createInterface } from "node:readline";
import { systemClock } from "../../actors/kernel/clock.ts";
import { createLog } from "../../actors/kernel/log.ts";
import { createScriptHost, type ScriptHost } from "../../actors/profile/script-host.ts";
import type { RunProfileOutcome } from "../../protocol/messages/library.ts";
import type { ScriptJob } from "../../protocol/messages/profile.ts";

const fixturePage = `<!doctype html><title>Shop</title><h1>Shop</h1>
<button id="buy" onclick="document.title = 'Bought'; document.querySelector('h1').innerText = 'Thanks'">Buy</button>
<a id="file" href="/report.csv" download>Report</a><input id="upload" type="file">`;

export interface ScriptBench {
  site: string;
  cdpUrl: string;
  uploadsDir: string;
  root: string;
  host: ScriptHost;
  /** Runs a script; the body is that of `run`, the library Playwright unless said otherwise. */
  run(source: string, changes?: Partial<ScriptJob>): Promise<RunProfileOutcome>;
  job(source: string, changes?: Partial<ScriptJob>): ScriptJob;
  close(): Promise<void>;
}

const profileId = "00000000-0000-4000-8000-000000000001";
let runs = 0;

export async function openScriptBench(): Promise<ScriptBench> {
  const root = await mkdtemp(path.join(tmpdir(), "troupe-test-"));
  const uploadsDir = path.join(root, "uploads");
  await writeFile(path.join(root, "secret.txt"), "secret");
  await mkdir(uploadsDir);
  await writeFile(path.join(uploadsDir, "photo.txt"), "photo");
  const server = http.createServer((request, reply) => {
    if (request.url === "/report.csv") {
      reply.setHeader("content-disposition", "attachment; filename=report.csv");
      reply.end("a,b\n1,2\n");
    } else reply.setHeader("content-type", "text/html").end(fixturePage);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const site = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const { browser, cdpUrl } = await startChromium(path.join(root, "user-data"));
  const host = createScriptHost({
    log: createLog("test"),
    clock: systemClock,
    cdpHttpUrl: () => cdpUrl,
    profile: { id: profileId, name: "Ada" },
    uploadsDir,
    tempDir: path.join(root, "tmp"),
  });
  const job = (source: string, changes: Partial<ScriptJob> = {}): ScriptJob => {
    runs += 1;
    return {
      runId: `00000000-0000-4000-8000-${String(runs).padStart(12, "0")}`,
      source,
      scriptName: "test",
      library: "playwright",
      approved: true,
      variables: { site },
      scratchDir: path.join(root, "runs", String(runs)),
      timeoutMs: 30_000,
      ...changes,
    };
  };
  return {
    site,
    cdpUrl,
    uploadsDir,
    root,
    host,
    job,
    run: (source, changes) => host.run(job(source, changes)),
    close: async () => {
      await host.close();
      const exited = once(browser, "exit");
      if (browser.pid !== undefined) process.kill(-browser.pid, "SIGKILL");
      await exited;
      server.closeAllConnections();
      server.close();
      await rm(root, { recursive: true, force: true, maxRetries: 5 });
    },
  };
}

async function startChromium(userDataDir: string): Promise<{ browser: ChildProcess; cdpUrl: string }> {
  const browser = spawn(
    process.env.CHROMIUM_PATH ?? "/usr/bin/chromium",
    [
      "--headless=new",
      "--no-sandbox",
      "--no-first-run",
      "--disable-gpu",
      "--remote-debugging-port=0",
      `--user-data-dir=${userDataDir}`,
      "about:blank",
    ],
    { stdio: ["ignore", "ignore", "pipe"], detached: true },
  );
  if (browser.stderr === null) throw new Error("no stderr");
  for await (const line of createInterface({ input: browser.stderr })) {
    const port = line.match(/^DevTools listening on ws:\/\/127\.0\.0\.1:(\d+)\//)?.[1];
    if (port === undefined) continue;
    browser.stderr.resume();
    return { browser, cdpUrl: `http://127.0.0.1:${port}` };
  }
  throw new Error("Chromium ended before it listened");
}
