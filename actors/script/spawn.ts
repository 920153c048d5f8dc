/** The sandboxed process of one run: starts it, exchanges packets with it, and makes sure that it ends. */
import type { ChildProcess, SpawnOptions } from "node:child_process";
import path from "node:path";
import { Duplex, type Readable } from "node:stream";
import { limits } from "../../protocol/limits.ts";
import type { WarmRunner } from "../../protocol/profile-spec.ts";
import { createDeferred } from "../kernel/deferred.ts";
import { procFile } from "../kernel/proc-file.ts";
import { signalGroup, spawnLeader, startErrorText } from "../kernel/process-group.ts";
import { steppedBackNice } from "../kernel/process-priority.ts";
import { runnerFiles } from "./entry.ts";
import type { Isolation } from "./isolation.ts";
import { type MemoryLimits, memoryOf } from "./memory.ts";
import { type OwnerMessage, parseRunnerMessage, type RunnerMessage } from "./messages.ts";
import { encodePacket, PacketReader, untilTurnEnds } from "./packets.ts";
import { overfull } from "./stored.ts";
import type { View } from "./visible-files.ts";
import { createWorkspace, removeWorkspace, type Workspace } from "./workspace.ts";

export interface RunnerExit {
  code: number | null;
  signal: NodeJS.Signals | null;
  outOfMemory: boolean;
}

/** Receives a runner's events, once it has a run. */
export interface RunnerListener {
  message(message: RunnerMessage): void;
  cdp(text: string): void;
  line(text: string): void;
  babble(reason: string): void;
}

export interface RunnerProcess {
  memory: MemoryLimits;
  isolation: Isolation["level"];
  /** The spawned process, which leads its process group. */
  pid: number;
  workspace: Workspace;
  /** Resolves when the library is loaded; never, if the process ends first. */
  ready: Promise<void>;
  exited: Promise<RunnerExit>;
  listen(listener: RunnerListener): void;
  send(message: OwnerMessage): void;
  /** Returns how many bytes the process has not read yet. */
  sendCdp(text: string): number;
  /** Pauses or resumes reading its messages, so that it cannot fill our memory. */
  holdBack(hold: boolean): void;
  residentBytes(): number | null;
  overfull(): Promise<string | null>;
  strike(): void;
  /** Kills it, waits for its end and removes its workspace. */
  discard(): Promise<void>;
}

export interface RunnerDirs {
  uploadsDir: string;
  /** The workspace is created in it. */
  tempDir: string;
  libraryCacheDir?: string | undefined;
}

/** Starts a runner, which loads its library at once. */
export async function startRunner(
  kind: WarmRunner,
  isolation: Isolation,
  { uploadsDir, tempDir, libraryCacheDir }: RunnerDirs,
): Promise<RunnerProcess> {
  const [files, workspace] = await Promise.all([
    runnerFiles(kind, libraryCacheDir),
    createWorkspace(tempDir),
  ]);
  const memory = memoryOf(kind.approved);
  const child = spawnConfined(
    isolation,
    workspace,
    { readable: [...files.readable, `${uploadsDir}/*`], heapMb: memory.heapMb },
    [files.runner, kind.library, files.module, files.cacheDir],
  );
  if (child.pid === undefined) {
    const error = await new Promise<Error>((resolve) => child.once("error", resolve));
    await removeWorkspace(workspace);
    throw new Error(`a script process could not be started: ${startErrorText(error)}`);
  }
  return own(child, child.pid, { memory, isolation: isolation.level, workspace });
}

/** Starts Node on `[entry, ...args]` in isolation: it can read the entry, the workspace and `readable` only. */
export function spawnConfined(
  isolation: Isolation,
  workspace: Workspace,
  { readable, heapMb }: { readable: readonly string[]; heapMb: number },
  [entry = "", ...rest]: readonly string[],
): ChildProcess {
  const shown = [entry, ...readable];
  const { scratchDir, tempDir } = workspace;
  const view: View = {
    readable: shown.map((path) => path.replace(/\/\*$/, "")),
    writable: [scratchDir, tempDir],
    root: path.join(workspace.root, "view"),
    workDir: scratchDir,
  };
  const [command = process.execPath, ...args] = [
    ...isolation.prefix(view),
    process.execPath,
    ...nodeFlags(shown, workspace, heapMb),
    entry,
    ...rest,
  ];
  const options: SpawnOptions = {
    cwd: workspace.scratchDir,
    env: scriptEnvironment(workspace),
    stdio: ["ignore", "pipe", "pipe", "pipe"],
    windowsHide: true,
  };
  return spawnLeader(command, args, options, steppedBackNice());
}

function nodeFlags(readable: readonly string[], workspace: Workspace, heapMb: number): string[] {
  const has = (flag: string) => process.allowedNodeEnvironmentFlags.has(flag);
  const reads = [
    ...readable,
    `${workspace.root}/*`,
    // playwright-core reads these when it loads, and throws without the permission (actors/script/README.md, "Sandbox").
    "/proc/sys/fs/binfmt_misc/WSLInterop",
    "/run/WSL",
  ];
  const writable = [`${workspace.scratchDir}/*`, `${workspace.tempDir}/*`];
  return [
    has("--permission") ? "--permission" : "--experimental-permission",
    ...(has("--allow-net") ? ["--allow-net"] : []), // Until `lockRunner`.
    "--no-warnings",
    "--experimental-vm-modules",
    ...reads.map((path) => `--allow-fs-read=${path}`),
    ...writable.map((path) => `--allow-fs-write=${path}`),
    `--max-old-space-size=${heapMb}`,
    "--disable-proto=delete",
  ];
}

/** The script inherits no variable of the service, not even PATH and HOME. */
function scriptEnvironment(workspace: Workspace): NodeJS.ProcessEnv {
  const { LANG } = process.env;
  return {
    TMPDIR: workspace.tempDir,
    HOME: workspace.tempDir, // Playwright needs one.
    TZ: Intl.DateTimeFormat().resolvedOptions().timeZone, // The process cannot read /etc/localtime.
    ...(LANG === undefined ? {} : { LANG }),
  };
}

function own(
  child: ChildProcess,
  pid: number,
  given: Pick<RunnerProcess, "memory" | "isolation" | "workspace">,
): RunnerProcess {
  const { stdout, stderr } = child;
  const pipe = child.stdio[3];
  if (!(pipe instanceof Duplex) || stdout === null || stderr === null)
    throw new Error("a script process was started without its pipes");
  let listener: RunnerListener | null = null;
  let outOfMemory = false;
  let dying = false;
  const ready = createDeferred<void>();
  const reader = new PacketReader(limits.scriptIpcMessageBytesMax, (kind, text) => {
    if (kind === "cdp") return listener?.cdp(text);
    const message = parseRunnerMessage(text);
    if (message?.kind === "ready") ready.resolve();
    else if (message !== null) listener?.message(message);
  });
  pipe.on("data", (chunk: Buffer) => {
    try {
      reader.push(chunk);
    } catch (error) {
      pipe.destroy();
      listener?.babble(error instanceof Error ? error.message : String(error));
    }
  });
  // A broken pipe means that the process ended, which `exited` reports.
  pipe.on("error", () => undefined);
  readLines(stdout, (line) => listener?.line(line));
  readLines(stderr, (line) => {
    // The wrapper prints this when its child was killed.
    if (line.startsWith("unshare: ")) return;
    dying ||= line.startsWith("<--- Last few GCs") || line.startsWith("FATAL ERROR:");
    outOfMemory ||= /heap out of memory|Reached heap limit|[Aa]llocation failed/.test(line);
    if (!dying) listener?.line(line);
  });
  const exited = new Promise<RunnerExit>((resolve) => {
    child.once("close", (code, signal) => resolve({ code, signal, outOfMemory }));
  });
  let struck: boolean | null = null;
  const strike = () => {
    struck ??= strikeGroup(child);
    return struck;
  };
  return {
    ...given,
    pid,
    ready: ready.promise,
    exited,
    listen: (next) => {
      listener = next;
    },
    send: (message) => void pipe.write(encodePacket("control", JSON.stringify(message))),
    sendCdp: (text) => {
      untilTurnEnds(pipe);
      pipe.write(encodePacket("cdp", text));
      return pipe.writableLength;
    },
    holdBack: (hold) => void (hold ? pipe.pause() : pipe.resume()),
    residentBytes: () => residentBytes(pid),
    overfull: () => overfull(given.workspace, scriptPid(pid)),
    strike: () => void strike(),
    discard: async () => {
      await groupGone(child, strike(), exited);
      await removeWorkspace(given.workspace);
    },
  };
}

/** Splits a stream into lines. A longer line than the limit comes in pieces. */
function readLines(stream: Readable, onLine: (line: string) => void): void {
  let held = "";
  stream.setEncoding("utf8");
  stream.on("data", (part: string) => {
    const lines = `${held}${part}`.split("\n");
    held = lines.pop() ?? "";
    for (const line of lines) onLine(line.slice(0, limits.scriptLogLineCharsMax));
    while (held.length > limits.scriptLogLineCharsMax) {
      onLine(held.slice(0, limits.scriptLogLineCharsMax));
      held = held.slice(limits.scriptLogLineCharsMax);
    }
  });
  stream.on("end", () => {
    if (held !== "") onLine(held);
  });
}

/** The process that runs the script: below `unshare` it is the only child of the spawned one. */
function scriptPid(pid: number): number {
  const children = procFile(`/proc/${pid}/task/${pid}/children`) ?? "";
  const [first = ""] = children.trim().split(" ");
  return first === "" ? pid : Number(first);
}

function residentBytes(pid: number): number | null {
  const status = procFile(`/proc/${scriptPid(pid)}/status`) ?? "";
  const kilobytes = status.match(/^VmRSS:\s+(\d+) kB$/m)?.[1];
  return kilobytes === undefined ? null : Number(kilobytes) * 1024;
}

/** Kills only the script where `unshare` above it can reap it (true), since init may not; otherwise the whole group (false). */
function strikeGroup(leader: ChildProcess): boolean {
  const pid = leader.pid ?? 0;
  const script = scriptPid(pid);
  if (script !== pid && signal(script)) return true;
  signalGroup(leader, "SIGKILL");
  return false;
}

/** Waits until the process and its pipes are closed, and kills the rest of the group. */
async function groupGone(
  leader: ChildProcess,
  parentEnds: boolean,
  exited: Promise<RunnerExit>,
): Promise<void> {
  if (parentEnds) {
    const timer = createDeferred<void>();
    const handle = setTimeout(timer.resolve, limits.browserKillGraceMs);
    await Promise.race([exited, timer.promise]);
    clearTimeout(handle);
  }
  signalGroup(leader, "SIGKILL");
  await exited;
}

function signal(pid: number): boolean {
  try {
    return process.kill(pid, "SIGKILL");
  } catch {
    return false;
  }
}
