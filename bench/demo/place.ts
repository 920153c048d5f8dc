/** Finds the repository from source or from dist/. */
import { existsSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

export function repositoryRoot(): string {
  let folder = dirname(fileURLToPath(import.meta.url));
  while (!existsSync(join(folder, ".setup"))) {
    const above = dirname(folder);
    if (above === folder) throw new Error("the demo is not inside a repository: no .setup above it");
    folder = above;
  }
  return folder;
}
