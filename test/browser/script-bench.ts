/** A real Chromium, a fixture site and a script host for script tests; `close` ends all of them. */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import http from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import path from "node:path";
import { createInterface } from "node:readline";
import type { Readable, Writable } from "node:stream";
import { systemClock } from "../../actors/kernel/clock.ts";
import { createLog } from "../../actors/kernel/log.ts";
import { type Connection, connect } from "../../actors/profile/cdp/connection.ts";
import { createScriptHost, type ScriptHost } from "../../actors/profile/script-host.ts";
import type { ScriptBrowser } from "../../actors/script/relay.ts";
import type { RunProfileOutcome } from "../../protocol/messages/library.ts";
import type { ScriptJob } from "../../protocol/messages/profile.ts";

const fixturePage = `<!doctype html><title>Shop</title><h1>Shop</h1>
<button id="buy" onclick="document.title = 'Bought'; document.querySelector('h1').innerText = 'Thanks'">Buy</button>
<a id="file" href="/report.csv" download>Report</a><input id="upload" type="file">`;

export interface ScriptBench {
  site: string;
  cdpUrl: string;
  browser: ScriptBrowser;
  uploadsDir: string;
  root: string;
  host: ScriptHost;
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
  const { chromium, browser } = await startChromium(path.join(root, "user-data"));
  const openHost = () =>
    createScriptHost({
      handoff: async () => "refused",
      log: createLog("test"),
      clock: systemClock,
      browser: () => browser,
      profile: { id: profileId, name: "Ada" },
      uploadsDir,
      tempDir: path.join(root, "tmp"),
    });
  const host = openHost();
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
      timeoutMs: 120_000,
      ...changes,
    };
  };
  return {
    site,
    cdpUrl: browser.cdpUrl,
    browser,
    uploadsDir,
    root,
    host,
    job,
    run: async (source, changes) => {
      const given = job(source, changes);
      if (given.approved) return host.run(given);
      // As in a profile of its own, whose browser no approved script uses after it.
      const own = openHost();
      try {
        return await own.run(given);
      } finally {
        await own.close();
      }
    },
    close: async () => {
      await host.close();
      const exited = once(chromium, "exit");
      if (chromium.pid !== undefined) process.kill(-chromium.pid, "SIGKILL");
      await exited;
      server.closeAllConnections();
      server.close();
      await rm(root, { recursive: true, force: true, maxRetries: 5 });
    },
  };
}

async function startChromium(
  userDataDir: string,
): Promise<{ chromium: ChildProcess; browser: ScriptBrowser }> {
  const chromium = spawn(
    process.env.CHROMIUM_PATH ?? "/usr/bin/chromium",
    [
      "--headless=new",
      "--no-sandbox",
      "--no-first-run",
      "--disable-gpu",
      "--remote-debugging-pipe=cbor",
      "--remote-debugging-port=0",
      `--user-data-dir=${userDataDir}`,
      "about:blank",
    ],
    { stdio: ["ignore", "ignore", "pipe", "pipe", "pipe"], detached: true },
  );
  const { stderr, stdio } = chromium;
  if (stderr === null) throw new Error("no stderr");
  const connection = connect(stdio[3] as Writable, stdio[4] as Readable);
  const { openClient, backlog, drained } = connection;
  for await (const line of createInterface({ input: stderr })) {
    const port = line.match(/^DevTools listening on ws:\/\/127\.0\.0\.1:(\d+)\//)?.[1];
    if (port === undefined) continue;
    stderr.resume();
    await firstPageAnswers(connection); // As with a profile's launch, which is answered no earlier.
    const cdpUrl = `http://127.0.0.1:${port}`;
    return { chromium, browser: { cdpUrl, openClient, backlog, drained, settled: async () => {} } };
  }
  throw new Error("Chromium exited before it listened");
}

async function firstPageAnswers({ root, session }: Connection): Promise<void> {
  const { targetInfos } = await root.send("Target.getTargets", {});
  const page = targetInfos.find(({ type }) => type === "page");
  const { targetId } = page ?? (await root.send("Target.createTarget", { url: "about:blank" }));
  const { sessionId } = await root.send("Target.attachToTarget", { targetId, flatten: true });
  await session(sessionId)?.send("Runtime.evaluate", { expression: "1 + 1" });
  await root.send("Target.detachFromTarget", { sessionId });
}
