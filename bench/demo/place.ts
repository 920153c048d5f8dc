/** Finds the repository and the bundles, from source or from dist/. */
import { existsSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const here = dirname(fileURLToPath(import.meta.url));
const isSource = import.meta.url.endsWith(".ts");

/** Null in an installed package. */
export function checkout(): string | null {
  let folder = here;
  while (!existsSync(join(folder, ".setup"))) {
    const above = dirname(folder);
    if (above === folder) return null;
    folder = above;
  }
  return folder;
}

export function repositoryRoot(): string {
  const found = checkout();
  if (found === null) throw new Error("this is not inside a repository: no .setup above it");
  return found;
}

/** A file of the demo: beside its source, or beside its bundle. */
export const besideDemo = (name: string) => join(here, name);
export const bundle = (name: string) => join(isSource ? join(repositoryRoot(), "dist") : here, name);
