/** The functions that compiled code can call, and which of them one script needs. */
import type { ScriptLibrary } from "../../../protocol/scalars.ts";
import type { KitFunction, KitTable } from "./kit-function.ts";
import { playwrightKit } from "./kit-playwright.ts";
import { puppeteerKit } from "./kit-puppeteer.ts";
import { sharedKit } from "./kit-shared.ts";

const tables: Record<ScriptLibrary, KitTable> = {
  playwright: { ...sharedKit, ...playwrightKit },
  puppeteer: { ...sharedKit, ...puppeteerKit },
};

/** Names in both libraries' kits. Document names must avoid all of them. */
export const kitNames: ReadonlySet<string> = new Set(
  Object.values(tables).flatMap((table) => Object.keys(table)),
);

export interface Kit {
  use(name: string): string;
  has(name: string): boolean;
  functions(): KitFunction[];
}

export function createKit(library: ScriptLibrary): Kit {
  const table = tables[library];
  const used = new Set<string>();
  const use = (name: string): string => {
    const entry = table[name];
    if (entry === undefined) throw new TypeError(`the kit of ${library} has no ${name}`);
    if (!used.has(name)) {
      used.add(name);
      for (const other of entry.uses ?? []) use(other);
    }
    return name;
  };
  return {
    use,
    has: (name) => used.has(name),
    functions: () => Object.entries(table).flatMap(([name, entry]) => (used.has(name) ? [entry] : [])),
  };
}
