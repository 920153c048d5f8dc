/** `troupe scripts types`: the types that Raw scripts are written against, as one file. */
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

/** From the bundle in dist/, or from this source. */
const above = import.meta.url.endsWith(".ts") ? "../.." : "..";

export function scriptTypes(): void {
  process.stdout.write(
    readFileSync(
      fileURLToPath(new URL(`${above}/protocol/script/troupe-script.d.ts`, import.meta.url)),
      "utf8",
    ),
  );
}
