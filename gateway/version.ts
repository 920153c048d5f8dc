/** The version of the package, which is in the folder above this one and above the bundles. */
import { fileURLToPath } from "node:url";
import { procFile } from "./machine.ts";

export function packageVersion(): string | null {
  const text = procFile(fileURLToPath(new URL("../package.json", import.meta.url)));
  return /"version": "([^"]+)"/.exec(text ?? "")?.[1] ?? null;
}
