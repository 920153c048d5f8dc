/** `troupe worker`: a small process that runs the service of a worker, and ends its browsers when PostgreSQL no longer hears of it. */
import { type ChildProcess, spawn } from "node:child_process";
import { hostname } from "node:os";
import { resolve } from "node:path";
import type { Duplex } from "node:stream";
import { createLines, momentNow, msSince } from "../../actors/fleet/guard-line.ts";
import { mustEnd } from "../../actors/fleet/rules.ts";
import { Fault } from "../../protocol/faults.ts";
import { type FleetMember, fleetLimits } from "../../protocol/fleet.ts";
import { complain, exitCodes, failed } from "../cli/output.ts";
import { defaultDataDir } from "../instance.ts";
import { allocatorEnv } from "../machine.ts";
import { startFailures } from "../start-failures.ts";
import { guardFdVariable, placeInToken, readMember, writeMember } from "./member-file.ts";
import { endBrowsersBelow } from "./own-browsers.ts";

export interface WorkerFlags {
  data?: string;
  join?: string;
  name?: string;
  label?: string;
  maxBrowsers?: number;
  json?: boolean;
}

const lookMs = 500;
const restartMs = { least: 1_000, most: 30_000 };
const steadyMs = 60_000;
const lineFd = 3;
/** A start that fails for these fails again. */
const lasting = new Set<number>([
  exitCodes.wrongUsage,
  ...Object.values(startFailures).map(({ exit }) => exit),
]);

/** Returns when the worker has stopped, with its exit code. */
export async function runWorker(flags: WorkerFlags, token: string | null): Promise<number> {
  try {
    const dataDir = resolve(flags.data ?? defaultDataDir());
    keepMember(dataDir, flags, token);
    return await guard(dataDir, flags);
  } catch (error) {
    return failed(error);
  }
}

/** Later starts need no token. Throws `invalid`. */
function keepMember(dataDir: string, { name, label }: WorkerFlags, token: string | null): void {
  const known = readMember(dataDir);
  if (known?.role === "head")
    throw new Fault("invalid", `${dataDir} belongs to the fleet's head; name another directory with --data`);
  const place = token === null ? known : placeInToken(token);
  if (place === null)
    throw new Fault("invalid", "--join is needed once; the head prints the token: troupe fleet token");
  const { postgres, archives, storeKeys, key } = place;
  const member: FleetMember = {
    role: "worker",
    postgres,
    archives,
    ...(storeKeys === undefined ? {} : { storeKeys }),
    key,
    name: name ?? known?.name ?? hostname(),
    label: label ?? known?.label ?? "default",
  };
  writeMember(dataDir, member);
}

async function guard(dataDir: string, flags: WorkerFlags): Promise<number> {
  let child: ChildProcess | null = null;
  let stopping = false;
  const onSignal = () => {
    // It may wait for PostgreSQL, and then hears of no first signal.
    child?.kill(stopping ? "SIGKILL" : "SIGTERM");
    stopping = true;
  };
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP", "SIGQUIT"] as const) process.on(signal, onSignal);
  let waitMs = restartMs.least;
  while (!stopping) {
    await endBrowsersBelow(dataDir);
    if (readMember(dataDir) === null) {
      complain("this machine has left the fleet");
      return exitCodes.ok;
    }
    const startedAt = momentNow();
    child = startService(dataDir, flags);
    const code = await watched(child);
    await endBrowsersBelow(dataDir);
    if (stopping || (code !== null && lasting.has(code))) return code ?? exitCodes.failed;
    if (msSince(startedAt) > steadyMs) waitMs = restartMs.least;
    complain(
      `the worker ended${code === null ? "" : ` with code ${code}`}; starting it again in ${waitMs / 1000} s`,
    );
    const ms = waitMs;
    await new Promise((done) => setTimeout(done, ms));
    waitMs = Math.min(waitMs * 2, restartMs.most);
  }
  return exitCodes.ok;
}

function startService(dataDir: string, { maxBrowsers, json }: WorkerFlags): ChildProcess {
  const [, script = ""] = process.argv;
  const options = [
    ...(maxBrowsers === undefined ? [] : ["--max-browsers", String(maxBrowsers)]),
    ...(json === true ? ["--json"] : []),
  ];
  const args = [...process.execArgv, script, "serve", "--data", dataDir, ...options];
  const env = { ...allocatorEnv, ...process.env, [guardFdVariable]: String(lineFd) };
  return spawn(process.execPath, args, { env, stdio: ["ignore", "inherit", "inherit", "pipe"] });
}

/** Resolves with the exit code when the service has ended, for any reason; null: it was killed. */
function watched(child: ChildProcess): Promise<number | null> {
  const line = child.stdio[lineFd] as Duplex;
  let confirmed = momentNow();
  let holding = 0;
  let leaving = false;
  line.setEncoding("utf8").on(
    "data",
    createLines((message) => {
      confirmed = message.confirmed;
      holding = message.holding;
      leaving = message.leaving;
    }),
  );
  line.on("error", () => {}); // It ended; `exit` follows.
  const kill = (why: string) => {
    complain(`the guard ends the worker and its ${holding} browsers: ${why}`);
    child.kill("SIGKILL"); // Also when it is stopped. Its browsers end with their control pipes.
  };
  // The service's thread with the line has ended: nothing would say what it holds.
  line.on("end", () => {
    if (!leaving) child.kill("SIGKILL");
  });
  let killed = false;
  const timer = setInterval(() => {
    line.write(".");
    if (killed || !mustEnd(msSince(confirmed), holding)) return;
    killed = true;
    kill(`PostgreSQL has not heard of it for ${fleetLimits.guardMs / 1000} s`);
  }, lookMs);
  return new Promise((done) => {
    child.once("exit", (code) => {
      clearInterval(timer);
      line.destroy();
      done(code);
    });
    child.once("error", () => done(exitCodes.failed));
  });
}
