/** The launch suite with a real service: starts one on a temporary directory, measures, writes table and samples. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, writeFileSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { availableParallelism, loadavg, tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { Agent, request } from "undici";
import { findChromium } from "../gateway/machine.ts";
import { type LaunchClient, launchTable, measureLaunches } from "./launch.ts";

const rounds = 20;
const resultsDir = "bench-results";

/** Runs the suite and prints its table; the samples go to a file of their own. */
export async function runLaunchSuite(): Promise<void> {
  const dataDir = await mkdtemp(join(tmpdir(), "troupe-bench-"));
  const served = await serve(dataDir);
  try {
    const rest = await restClient(served.apiUrl, served.token);
    const chromiumPath = findChromium();
    process.stdout.write(`launch: ${rounds} rounds, interleaved, on ${availableParallelism()} cores\n`);
    const loadBefore = loadavg()[0];
    const rows = await measureLaunches({ chromiumPath, rounds, rest });
    process.stdout.write(`${launchTable(rows)}\n`);
    const at = new Date().toISOString();
    mkdirSync(resultsDir, { recursive: true });
    const file = join(resultsDir, `launch-${at.replaceAll(":", "-")}.json`);
    const record = { suite: "launch", at, node: process.version, loadBefore, rows };
    writeFileSync(file, `${JSON.stringify(record, null, 2)}\n`);
    process.stdout.write(`samples in ${file}\n`);
  } finally {
    await served.end();
    await rm(dataDir, { recursive: true, force: true });
  }
}

async function serve(dataDir: string) {
  const command = fileURLToPath(new URL("./troupe.js", import.meta.url));
  const flags = ["--json", "--api", "on", "--port", "0", "--rate-limit", "0", "--mint", "bench"];
  const child = spawn(process.execPath, [command, "serve", "--data", dataDir, ...flags], {
    stdio: ["ignore", "pipe", "inherit"],
    env: { ...process.env, TROUPE_LOG: "error" },
  });
  const closed = once(child, "close");
  const [line] = await Promise.race([
    once(createInterface(child.stdout), "line"),
    closed.then(() => Promise.reject(new Error("the service did not start"))),
  ]);
  const { apiUrl, token }: { apiUrl: string; token: string } = JSON.parse(line);
  return {
    apiUrl,
    token,
    async end() {
      child.kill("SIGINT");
      await closed;
    },
  };
}

/** A profile of its own for every launch: like the bare spawn, each starts on a directory that is not there yet. */
async function restClient(apiUrl: string, token: string): Promise<LaunchClient> {
  const dispatcher = new Agent();
  const post = async (path: string, body: object) => {
    const reply = await request(new URL(path, apiUrl), {
      method: "POST",
      dispatcher,
      headers: { authorization: `Bearer ${token}` },
      body: JSON.stringify(body),
    });
    const text = await reply.body.text();
    if (reply.statusCode >= 300) throw new Error(`${path}: ${reply.statusCode} ${text}`);
    return text === "" ? null : JSON.parse(text);
  };
  const { created }: { created: { profile_id: string }[] } = await post("/v1/profiles", {
    count: rounds + 1,
  });
  let id: string | undefined;
  return {
    async launch() {
      id = created.pop()?.profile_id;
      await post(`/v1/profiles/${id}/launch`, { headless: true });
    },
    stop: () => post(`/v1/profiles/${id}/stop`, {}),
  };
}
