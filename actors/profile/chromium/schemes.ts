/** Links to other programs' schemes (`tel:`, `zoommtg:`) do nothing, without a question. */
import { access, chmod, constants, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { makeDirs } from "../../kernel/make-dir.ts";
import { replaceFile } from "../../kernel/replace-file.ts";

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
  const own = join(dir, "schemes");
  const file = join(own, "xdg-settings");
  const there = await access(file, constants.X_OK).then(
    () => true,
    () => false,
  );
  if (there) return own; // The service clears the directory at its start.
  await makeDirs(own);
  await replaceFile(file, async (draft) => {
    await writeFile(draft, settings);
    await chmod(draft, 0o700);
  });
  return own;
}
