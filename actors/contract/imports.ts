/** Checks a script's imports and infers its library from them. */
import type { ScriptLibrary } from "../../protocol/scalars.ts";
import type { RuleId } from "./rules.ts";
import { bare, child, list, type Node, nameOf, textOf } from "./syntax-tree.ts";

/** Reports a violation at a node. `detail` comes before the rule's remedy. */
export type Report = (rule: RuleId, node: Node, detail?: string) => void;

const libraries: Readonly<Record<string, ScriptLibrary>> = {
  "playwright-core": "playwright",
  playwright: "playwright",
  "puppeteer-core": "puppeteer",
  puppeteer: "puppeteer",
};

export const librarySources: ReadonlySet<string> = new Set(Object.keys(libraries));

/** Checks imports and re-exports. The library is Playwright unless the module names Puppeteer. */
export function checkImports(program: Node, report: Report): ScriptLibrary {
  const values: ScriptLibrary[] = [];
  const types: ScriptLibrary[] = [];
  for (const statement of list(program, "body")) {
    const source = nameOf(child(statement, "source"));
    if (source === null) continue;
    const library = Object.hasOwn(libraries, source) ? libraries[source] : undefined;
    if (isTypeOnly(statement)) {
      if (library !== undefined) types.push(library);
      continue;
    }
    if (library === undefined) report("import-allowed", statement, `"${source}" cannot be imported`);
    else {
      if (values.some((other) => other !== library)) report("one-library", statement);
      values.push(library);
    }
  }
  return values[0] ?? declaredLibrary(program) ?? types[0] ?? "playwright";
}

function isTypeOnly(statement: Node): boolean {
  if (statement.importKind === "type" || statement.exportKind === "type") return true;
  const specifiers = list(statement, "specifiers");
  return (
    specifiers.length > 0 &&
    specifiers.every((specifier) => specifier.importKind === "type" || specifier.exportKind === "type")
  );
}

function declaredLibrary(program: Node): ScriptLibrary | null {
  for (const statement of list(program, "body")) {
    const declaration = statement.type === "ExportNamedDeclaration" ? child(statement, "declaration") : null;
    if (declaration === null) continue;
    for (const declarator of list(declaration, "declarations")) {
      const value = textOf(bare(child(declarator, "init")));
      if (nameOf(child(declarator, "id")) === "library" && (value === "playwright" || value === "puppeteer"))
        return value;
    }
  }
  return null;
}
