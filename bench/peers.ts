/** The peers of bench/package.json: installed when a suite first needs them, and found from where the bench runs. */
import { spawn } from "node:child_process";
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
