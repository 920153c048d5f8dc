/** The timezone of this machine, as an IANA name. */
import { readFileSync, realpathSync } from "node:fs";
import { knownTimezone } from "../../protocol/timezones.ts";

interface ZonePlaces {
  localtime: string;
  nameFile: string;
  zoneFiles: string;
}

const usual: ZonePlaces = {
  localtime: "/etc/localtime",
  nameFile: "/etc/timezone",
  zoneFiles: "/usr/share/zoneinfo",
};

/** The zone of TZ (a name, `:name` or the path of a zone file, which Node does not resolve), else of the system's files, else UTC. */
export function machineZone(tz: string | undefined = process.env.TZ, places: ZonePlaces = usual): string {
  const own = tz === undefined ? Intl.DateTimeFormat().resolvedOptions().timeZone : tz.replace(/^:/, "");
  const named = own === undefined ? null : (knownTimezone(own) ?? nameInPath(own));
  return named ?? systemZone(places) ?? "UTC";
}

/** Sets TZ to the machine's zone, for this process and its children, where Node resolves another zone. */
export function settleZone(): void {
  const zone = machineZone();
  if (Intl.DateTimeFormat().resolvedOptions().timeZone !== zone) process.env.TZ = zone;
}

function systemZone({ localtime, nameFile, zoneFiles }: ZonePlaces): string | null {
  const linked = nameInPath(realPath(localtime) ?? "");
  if (linked !== null) return linked;
  const content = bytesOf(localtime);
  const noted = knownTimezone(bytesOf(nameFile)?.toString("utf8").trim() ?? "");
  if (content === null) return noted;
  const isSame = (name: string) => bytesOf(`${zoneFiles}/${name}`)?.equals(content) === true;
  if (noted !== null && isSame(noted)) return noted; // Prefer the noted name: several names can have the same rules.
  return Intl.supportedValuesOf("timeZone").find(isSame) ?? noted;
}

function nameInPath(path: string): string | null {
  const name = /\/zoneinfo[^/]*\/(?:posix\/|right\/)?(.+)$/.exec(path)?.[1];
  return name === undefined ? null : knownTimezone(name);
}

function realPath(path: string): string | null {
  try {
    return realpathSync(path);
  } catch {
    return null;
  }
}

function bytesOf(path: string): Buffer | null {
  try {
    return readFileSync(path);
  } catch {
    return null;
  }
}
