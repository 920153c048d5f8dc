/** The user's home directory. */
import { homedir, userInfo } from "node:os";
import { isAbsolute } from "node:path";
import { Fault } from "../../protocol/faults.ts";

/** Null for a user without one, as in a container that runs under any user id: neither HOME nor the list of users names it. */
export function homeDir(places: (() => string)[] = [homedir, () => userInfo().homedir]): string | null {
  for (const find of places) {
    try {
      const dir = find();
      if (isAbsolute(dir)) return dir;
    } catch {
      // The user is not in the list of users.
    }
  }
  return null;
}

/** Throws `invalid` for a user without one. */
export function neededHomeDir(): string {
  const dir = homeDir();
  if (dir !== null) return dir;
  throw new Fault(
    "invalid",
    "this user has no home directory: name a data directory with --data, or set HOME",
  );
}
