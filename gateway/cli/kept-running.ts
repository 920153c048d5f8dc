/** `troupe service install`, `uninstall` and `status`: the service as the system keeps it running. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdirSync, rmSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { fileURLToPath } from "node:url";
import { systemFault } from "../../protocol/disk-fault.ts";
import { Fault } from "../../protocol/faults.ts";
import { logFileIn, readInstance } from "../instance.ts";
import { neededHomeDir, procFile } from "../machine.ts";
import { type CommonFlags, write } from "./commands.ts";
import { bundle, needChromium } from "./first-start.ts";
import { carried, lastingNode, type Unit, unitFor } from "./kept-unit.ts";
import { complain, dataHint } from "./output.ts";
import { dataDirOf, serviceIfRunning } from "./reach.ts";

function unitHere(flags: CommonFlags): Unit {
  const unit = unitFor({
    platform: process.platform,
    home: neededHomeDir(),
    uid: process.getuid?.() ?? 0,
    node: lastingNode(process.execPath),
    command: fileURLToPath(bundle("troupe.js")),
    dataDir: dataDirOf(flags),
    env: carried(process.env),
  });
  if (unit !== null) return unit;
  throw new Fault(
    "conflict",
    `there is no known way to keep a service running on ${process.platform}; start it with: troupe serve`,
  );
}

export async function serviceInstall(flags: CommonFlags): Promise<void> {
  const unit = unitHere(flags);
  const kept = keptNow(unit);
  if (kept !== null && kept.dataDir !== dataDirOf(flags))
    throw new Fault(
      "conflict",
      `${unit.system} keeps a service on ${kept.dataDir} running, and keeps one only; first run: troupe service uninstall`,
    );
  refuseForeign(unit, kept);
  const running = readInstance(dataDirOf(flags));
  if (running !== null)
    throw new Fault(
      "conflict",
      `a service runs on ${dataDirOf(flags)} already; ${kept === null ? `stop it (Ctrl-C, or: kill ${running.pid})` : "run: troupe service uninstall"}, then run the command again`,
    );
  await needChromium(); // The system's service would only fail without one.
  try {
    makeFolder(dirname(unit.file));
    writeFileSync(unit.file, unit.text, { encoding: unit.encoding, mode: 0o600 });
  } catch (error) {
    throw systemFault(error, unit.file);
  }
  const failed = await firstFailure(unit.on);
  if (failed !== null) {
    if (kept === null) rmSync(unit.file, { force: true });
    const { needs } = unit;
    throw new Fault(
      "internal",
      `nothing is ${kept === null ? "installed" : "changed but the file"}, because this failed: ${failed}; ${needs === null ? "" : `${needs}, then run the command again, or `}start the service with: troupe serve${hintFor(dataDirOf(flags))}`,
    );
  }
  const { system, file, hint } = unit;
  write(flags, { installed: true, system, file }, () =>
    [
      `The service is kept running by ${system} (${file}).`,
      `Its log is ${logFileIn(dataDirOf(flags))}.`,
      ...(hint === null ? [] : [`Note: ${hint}`]),
      `It starts now. Next, in a few seconds: troupe open${hintFor(dataDirOf(flags))}, or troupe service status`,
    ].join("\n"),
  );
}

/** One folder at a time: Node's `recursive` says of a read-only disk that the folder does not exist. */
function makeFolder(path: string): void {
  if (existsSync(path)) return;
  makeFolder(dirname(path));
  mkdirSync(path, { mode: 0o700 });
}

interface Kept {
  dataDir: string;
  /** The programs of its command that are not there any more. */
  gone: string[];
}

/** Another program's unit of this name stays. The task scheduler's file lies in our own directory. */
function refuseForeign({ file, system }: Unit, kept: Kept | null): void {
  if (kept !== null || system === "the task scheduler" || !existsSync(file)) return;
  throw new Fault(
    "conflict",
    `${file} is there and was not written by troupe service install; move it away, then run the command again`,
  );
}

/** What the installed unit starts; null without one, or when it has another form than ours. */
function keptNow({ file, wordsIn }: Unit): Kept | null {
  const words = wordsIn(procFile(file) ?? "");
  const dataDir = words[words.indexOf("--data") + 1];
  if (!words.includes("--data") || dataDir === undefined) return null;
  return { dataDir, gone: words.slice(0, 2).filter((path) => !existsSync(path)) };
}

export async function serviceUninstall(flags: CommonFlags): Promise<void> {
  const unit = unitHere(flags);
  const { system, file, off } = unit;
  refuseForeign(unit, keptNow(unit));
  if (!existsSync(file)) {
    write(flags, { installed: false, file }, () => `It is not installed: there is no ${file}.`);
    return;
  }
  const failed = await firstFailure(off);
  rmSync(file, { force: true });
  if (failed !== null) complain(`${file} is removed, but this failed: ${failed}`);
  write(
    flags,
    { installed: false, system, file },
    () => `${system} does not start it any more; the data stays.`,
  );
}

export async function serviceStatus(flags: CommonFlags): Promise<void> {
  const unit = unitHere(flags);
  const { system, file, status } = unit;
  const installed = existsSync(file);
  const kept = keptNow(unit);
  const dataDir = flags.data === undefined ? (kept?.dataDir ?? dataDirOf(flags)) : dataDirOf(flags);
  const running = serviceIfRunning({ data: dataDir }) !== null;
  const value = { installed, system, file, running, dataDir, keptDataDir: kept?.dataDir ?? null };
  write(flags, { ...value, gone: kept?.gone ?? [] }, () =>
    [
      installed
        ? `installed for ${system} (${file})`
        : "not installed; install it with: troupe service install",
      ...(kept !== null && kept.dataDir !== dataDir ? [`it serves another directory: ${kept.dataDir}`] : []),
      ...(kept?.gone ?? []).map(
        (path) =>
          `it cannot start: ${path} is gone; run: troupe service uninstall, then: troupe service install`,
      ),
      running
        ? `running on ${dataDir}; see: troupe status${hintFor(dataDir)}`
        : `not running; its log is ${logFileIn(dataDir)}`,
      ...(installed ? [`more: ${status.join(" ")}`] : []),
    ].join("\n"),
  );
}

const hintFor = (dataDir: string) => (dataDir === dataDirOf({}) ? "" : dataHint(dataDir));

/** Runs commands in order. Returns the first that fails, with its last words; null when all succeed. */
async function firstFailure(commands: readonly string[][]): Promise<string | null> {
  for (const [program = "", ...args] of commands) {
    const child = spawn(program, args, { stdio: ["ignore", "ignore", "pipe"] });
    let said = "";
    child.stderr.setEncoding("utf8").on("data", (text: string) => {
      said += text;
    });
    const code = await once(child, "close").then(
      ([code]) => code,
      (error: Error) => error.message,
    );
    if (code !== 0) return `${[program, ...args].join(" ")} (${said.trim().split("\n").at(-1) || code})`;
  }
  return null;
}
