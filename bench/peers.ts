/** Installs the peers of bench/package.json on first use, and finds them. */
import { fork, spawn } from "node:child_process";
import { once } from "node:events";
import { createRequire } from "node:module";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { repositoryRoot } from "./demo/place.ts";

/** Throws if the installation fails; the set-up has printed the reason. */
export async function installPeers(): Promise<void> {
  const script = join(repositoryRoot(), ".setup", "peers.mjs");
  const child = spawn(process.execPath, [script], { stdio: ["ignore", "inherit", "inherit"] });
  const [code] = await once(child, "close");
  if (code !== 0) throw new Error("the peers of the benchmarks could not be installed");
}

function peerFile(name: string): string {
  return join(repositoryRoot(), "bench", "peers", name);
}

const requirePeer = () => createRequire(join(repositoryRoot(), "bench", "package.json"));

export function peerPath(specifier: string): string {
  return requirePeer().resolve(specifier);
}

/** Untyped, because peers may not be installed. The caller declares what it uses. */
export async function importPeer(specifier: string) {
  return import(pathToFileURL(peerPath(specifier)).href);
}

/** A program of `bench/peers/` that ends with the bench. */
export interface PeerProgram {
  pid: number;
  ready: unknown;
  /** Sends an order and returns the result. Throws if the program ends first. */
  ask(options: object): Promise<unknown>;
  end(): Promise<void>;
}

/** Throws if the program ends before it is ready. */
export async function startPeer(name: string, ...args: string[]): Promise<PeerProgram> {
  // In its own session, like the measured service, because Linux shares cores among sessions.
  const child = fork(peerFile(name), args, {
    detached: true,
    stdio: ["ignore", "inherit", "inherit", "ipc"],
  });
  const gone = once(child, "exit").then(([code, signal]) => {
    throw new Error(`${name} ended with ${signal ?? `code ${code}`}`);
  });
  gone.catch(() => {});
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
