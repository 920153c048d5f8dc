/** Makes links to other programs' schemes (`tel:`, `zoommtg:`) do nothing. */
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

/**
 * A directory for the front of the browser's PATH. Its `xdg-settings` names the browser itself as the program for each scheme, so the browser
 * neither starts another program nor asks. Its question would block all later input, unseen by CDP. Null where Chromium does not call it.
 */
export function schemesPathOn(platform = process.platform): string | null {
  return platform === "linux" ? join(dirname(fileURLToPath(import.meta.url)), "schemes") : null;
}
