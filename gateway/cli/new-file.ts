/** Files that a command makes. */
import { dirname } from "node:path";
import { systemFault } from "../../protocol/disk-fault.ts";
import { Fault } from "../../protocol/faults.ts";

/** The fault of a new file that could not be made; `flag` names it. Other errors are unchanged. */
export function newFileRefusal(error: unknown, path: string, flag: string): unknown {
  const code = error instanceof Error && "code" in error ? error.code : null;
  if (code === "EEXIST") return new Fault("conflict", `${path} exists already; name a new file with ${flag}`);
  if (code === "EISDIR") return new Fault("invalid", `${path} is a directory; name a file with ${flag}`);
  if (code === "ENOENT")
    return new Fault("invalid", `the directory ${dirname(path)} does not exist; name another with ${flag}`);
  return systemFault(error, path);
}
