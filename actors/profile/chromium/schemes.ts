/** Links to other programs' schemes (`tel:`, `zoommtg:`) do nothing, without a question. */
import { writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { ensureFile } from "../../kernel/replace-file.ts";

/**
 * A browser that is itself the program for a scheme neither starts another nor asks: its question would swallow all later input, and no
 * command or event shows it. On Linux it asks `xdg-settings`.
 */
const settings = `#!/bin/sh
[ "$1 $2" = "check default-url-scheme-handler" ] && echo yes && exit
exit 1
`;

/** A directory whose `xdg-settings` says so, for the front of the browser's PATH; made in `dir` if it is not there. Null where Chromium does not ask it. */
export async function schemesPathOf(dir: string, platform = process.platform): Promise<string | null> {
  if (platform !== "linux") return null;
  const file = join(dir, "schemes", "xdg-settings");
  await ensureFile(file, (draft) => writeFile(draft, settings, { mode: 0o700 }));
  return dirname(file); // The service clears the directory at its start.
}
