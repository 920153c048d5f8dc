/** What a machine keeps of the fleet that it is in: a file of its data directory, which no backup has. */
import { mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { systemFault } from "../../protocol/disk-fault.ts";
import { Fault } from "../../protocol/faults.ts";
import type { FleetConfig, FleetMember, FleetPlace } from "../../protocol/fleet.ts";
import { packageVersion } from "../version.ts";

const fileOf = (dataDir: string) => join(dataDir, "fleet.json");
const tokenPrefix = "troupe-fleet-";

/** The guard of a worker sets it: the descriptor of the pipe to it. */
export const guardFdVariable = "TROUPE_GUARD_FD";

/** Null: the machine is in no fleet. Throws `invalid` for a file that cannot be read. */
export function readMember(dataDir: string): FleetMember | null {
  const file = fileOf(dataDir);
  let text: string;
  try {
    text = readFileSync(file, "utf8");
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === "ENOENT" || code === "ENOTDIR") return null; // The start says what is wrong with the directory.
    throw systemFault(error, file);
  }
  try {
    return JSON.parse(text) as FleetMember; // Only `writeMember` writes it.
  } catch {
    throw new Fault("invalid", `${file} is damaged; remove it, and join or begin the fleet again`);
  }
}

export function writeMember(dataDir: string, member: FleetMember): void {
  const file = fileOf(dataDir);
  try {
    mkdirSync(dataDir, { recursive: true, mode: 0o700 });
    writeFileSync(`${file}.new`, `${JSON.stringify(member)}\n`, { mode: 0o600, flush: true });
    renameSync(`${file}.new`, file);
  } catch (error) {
    throw systemFault(error, file);
  }
}

/** The machine is in no fleet any more. */
export function removeMember(dataDir: string): void {
  const file = fileOf(dataDir);
  try {
    rmSync(file, { force: true });
  } catch (error) {
    throw systemFault(error, file);
  }
}

/** What the service is in its fleet. Throws as `fleetConfigIn`. */
export function openMembership(dataDir: string, chromiumPath: string) {
  let config = fleetConfigIn(dataDir, chromiumPath);
  return {
    config: () => config,
    left() {
      removeMember(dataDir);
      config = null; // A thread that starts again must not look for the fleet.
    },
  };
}

/** Throws `invalid` for a worker that has no guard. */
function fleetConfigIn(dataDir: string, chromiumPath: string): FleetConfig | null {
  const member = readMember(dataDir);
  if (member === null) return null;
  const machine = { dataDir, chromiumPath, version: packageVersion() ?? "unknown" };
  if (member.role === "head") return { ...member, ...machine };
  const fd = process.env[guardFdVariable];
  if (fd === undefined)
    throw new Fault(
      "invalid",
      `${dataDir} belongs to a worker of a fleet; start it with: troupe worker --data ${dataDir}`,
    );
  return { ...member, ...machine, guardFd: Number(fd) };
}

/** It has the fleet's key and the password of its database. */
export function joinToken({ postgres, archives, storeKeys, key }: FleetPlace): string {
  return (
    tokenPrefix + Buffer.from(JSON.stringify({ postgres, archives, storeKeys, key })).toString("base64url")
  );
}

/** Throws `invalid`. */
export function placeInToken(token: string): FleetPlace {
  try {
    if (!token.startsWith(tokenPrefix)) throw new TypeError("another kind of token");
    const place = JSON.parse(Buffer.from(token.slice(tokenPrefix.length), "base64url").toString());
    const { postgres, archives, storeKeys, key } = place;
    if ([postgres, archives, key].some((text) => typeof text !== "string")) throw new TypeError("not whole");
    return { postgres, archives, key, ...(storeKeys === undefined ? {} : { storeKeys }) };
  } catch {
    throw new Fault(
      "invalid",
      "--join needs a whole join token of a fleet; the head prints one: troupe fleet token. From a file: --join @FILE",
    );
  }
}
