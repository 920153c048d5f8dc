/** `troupe scripts types`: prints the types for Raw scripts. */
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

const above = import.meta.url.endsWith(".ts") ? "../.." : "..";

export function scriptTypes(): void {
  process.stdout.write(
    readFileSync(
      fileURLToPath(new URL(`${above}/protocol/script/troupe-script.d.ts`, import.meta.url)),
      "utf8",
    ),
  );
}
