/** The version of the package, which is in the folder above this one and above the bundles. */
import { fileURLToPath } from "node:url";
import { procFile } from "./machine.ts";

function versionOnDisk(): string | null {
  const text = procFile(fileURLToPath(new URL("../package.json", import.meta.url)));
  return /"version": "([^"]+)"/.exec(text ?? "")?.[1] ?? null;
}

/** Read once: an update replaces the files of a service that runs, which stays what it was. */
const own = versionOnDisk();

export const packageVersion = (): string | null => own;

/** What to do when the command is of another version than the service; null when both are the same, or the service's is not known. */
export function otherVersion(running: string | null, here = own): string | null {
  if (running === null || running === here) return null;
  return `the service that runs is Troupe ${running}, and this command ${here}: stop the service and start it again`;
}
