/** The timezone of this machine, by a name that every part of the service knows. */
import { readFileSync, realpathSync } from "node:fs";
import { knownTimezone } from "../../protocol/timezones.ts";

/** Where a system says it: a link into the zone files, or a copy of one, and the name beside it that Debian keeps. */
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

/**
 * The machine's zone: what TZ names, where that is a zone (`Europe/Paris`, `:Europe/Paris`, the path of a zone file), else what the
 * system's files say, else UTC. Node itself knows no name for a path or for an empty TZ.
 */
export function machineZone(tz: string | undefined = process.env.TZ, places: ZonePlaces = usual): string {
  const own = tz === undefined ? Intl.DateTimeFormat().resolvedOptions().timeZone : tz.replace(/^:/, "");
  // Without a name of its own, ICU looks at the same files.
  const named = own === undefined ? null : (knownTimezone(own) ?? nameInPath(own));
  return named ?? systemZone(places) ?? "UTC";
}

/** Makes `Date`, threads and processes that start later use the machine's zone, where TZ does not name one. */
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
  if (noted !== null && isSame(noted)) return noted; // Several names may have the same rules.
  return Intl.supportedValuesOf("timeZone").find(isSame) ?? noted;
}

/** `/usr/share/zoneinfo/posix/Europe/Paris` is Europe/Paris. */
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
