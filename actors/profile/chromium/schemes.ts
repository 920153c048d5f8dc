/** Links to other programs' schemes (`tel:`, `zoommtg:`) do nothing, without a question. */
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

/**
 * A directory for the front of the browser's PATH, whose `xdg-settings` makes the browser itself the program for each scheme: then it neither
 * starts another nor asks. Its question would swallow all later input, and no command or event shows it. Null where Chromium does not ask it.
 */
export function schemesPathOn(platform = process.platform): string | null {
  return platform === "linux" ? join(dirname(fileURLToPath(import.meta.url)), "schemes") : null;
}
