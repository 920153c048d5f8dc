/** The peers of bench/package.json: installed when a suite first needs them, and found from where the bench runs. */
import { fork, spawn } from "node:child_process";
import { once } from "node:events";
import { createRequire } from "node:module";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { repositoryRoot } from "./demo/place.ts";

/** Installs what is missing. Throws when that fails; the set-up has said why by then. */
export async function installPeers(): Promise<void> {
  const script = join(repositoryRoot(), ".setup", "peers.mjs");
  const child = spawn(process.execPath, [script], { stdio: ["ignore", "inherit", "inherit"] });
  const [code] = await once(child, "close");
  if (code !== 0) throw new Error("the peers of the benchmarks could not be installed");
}

/** The path of a file of this folder that runs as it is, beside its packages; it is not in the bundle. */
export function peerFile(name: string): string {
  return join(repositoryRoot(), "bench", "peers", name);
}

const requirePeer = () => createRequire(join(repositoryRoot(), "bench", "package.json"));

/** The file of a peer's module, as `@playwright/mcp/package.json`. */
export function peerPath(specifier: string): string {
  return requirePeer().resolve(specifier);
}

/** A peer's module. Its types are not there where peers are not installed: the caller says what it uses of it. */
export async function importPeer(specifier: string) {
  return import(pathToFileURL(peerPath(specifier)).href);
}

/** A program of `bench/peers/` that runs beside the bench, and ends when the bench is gone, whatever ends it. */
export interface PeerProgram {
  pid: number;
  /** What it said when it was ready. */
  ready: unknown;
  /** Sends an order and answers with its result. Throws when the program ends instead. */
  ask(options: object): Promise<unknown>;
  end(): Promise<void>;
}

/** Starts a program with arguments. Throws when it ends before it is ready. */
export async function startPeer(name: string, ...args: string[]): Promise<PeerProgram> {
  // A session of its own, as the measured service has: Linux shares the cores out by session.
  const child = fork(peerFile(name), args, {
    detached: true,
    stdio: ["ignore", "inherit", "inherit", "ipc"],
  });
  const gone = once(child, "exit").then(([code, signal]) => {
    throw new Error(`${name} ended with ${signal ?? `code ${code}`}`);
  });
  gone.catch(() => {}); // Told to whoever waits for an answer.
  const answer = async (id: number): Promise<unknown> => {
    for (;;) {
      const [message] = await Promise.race([once(child, "message"), gone]);
      if (message.id === id) return message.result;
    }
  };
  const ready = await answer(0);
  let lastId = 0;
  return {
    pid: child.pid ?? 0,
    ready,
    ask(options) {
      lastId += 1;
      const answered = answer(lastId);
      child.send({ id: lastId, options });
      return answered;
    },
    async end() {
      if (child.connected) child.disconnect();
      await gone.catch(() => {});
    },
  };
}
