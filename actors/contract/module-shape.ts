/** Rules about the module's shape: an async default export, and a top level with declarations only. */
import type { Report } from "./imports.ts";
import { children } from "./parse.ts";
import { lookUp, type ScopeOf } from "./scopes.ts";
import { bare, child, isErased, isFunction, list, type Node, nameOf } from "./syntax-tree.ts";

export function checkDefaultExport(program: Node, scopeOf: ScopeOf, report: Report): Node | null {
  const exported = findDefault(program);
  if (exported === null) {
    report("default-export", program, "the script has no default export");
    return null;
  }
  const value = bare(exported);
  const named = value?.type === "Identifier" ? lookUp(scopeOf(value), nameOf(value) ?? "") : null;
  const run = named === null ? value : named.declaration;
  if (!isFunction(run)) {
    report("default-export", exported, "the default export is not a function");
    return null;
  }
  if (run.async !== true || run.generator === true)
    report("default-export", exported, "the default export is not an async function");
  return run;
}

function findDefault(program: Node): Node | null {
  for (const statement of list(program, "body")) {
    if (statement.type === "ExportDefaultDeclaration") return child(statement, "declaration");
    if (statement.type !== "ExportNamedDeclaration" || child(statement, "source") !== null) continue;
    for (const specifier of list(statement, "specifiers"))
      if (nameOf(child(specifier, "exported")) === "default") return child(specifier, "local");
  }
  return null;
}

const declarations = new Set([
  "ImportDeclaration",
  "ExportAllDeclaration",
  "FunctionDeclaration",
  "ClassDeclaration",
  "EmptyStatement",
  "TSEnumDeclaration",
]);

/** Reports everything that would run while the module loads: statements, `await`, calls of the script's own functions. */
export function checkTopLevel(program: Node, scopeOf: ScopeOf, report: Report): void {
  for (const statement of list(program, "body")) {
    const declared =
      statement.type === "ExportNamedDeclaration" || statement.type === "ExportDefaultDeclaration"
        ? child(statement, "declaration")
        : statement;
    if (declared === null || isErased(declared) || typeof declared.directive === "string") continue;
    if (
      declared.type === "VariableDeclaration" ||
      declarations.has(declared.type) ||
      statement.type === "ExportDefaultDeclaration"
    )
      checkRunsNothing(declared, scopeOf, report);
    else report("declarations-only", declared);
  }
}

function checkRunsNothing(node: Node, scopeOf: ScopeOf, report: Report): void {
  if (isErased(node) || isFunction(node)) return;
  const callee =
    node.type === "CallExpression" || node.type === "NewExpression" ? bare(child(node, "callee")) : null;
  const runs =
    node.type === "AwaitExpression" ||
    node.type === "StaticBlock" ||
    (callee !== null && isOwn(callee, scopeOf));
  if (runs) report("declarations-only", node);
  else for (const below of children(node)) checkRunsNothing(below, scopeOf, report);
}

/** True for the script's own functions and imports. Others, such as `new Set(…)` and `"a b".split(" ")`, only compute a value. */
function isOwn(callee: Node, scopeOf: ScopeOf): boolean {
  if (isFunction(callee)) return true;
  if (callee.type === "MemberExpression") {
    const object = bare(child(callee, "object"));
    return object !== null && isOwn(object, scopeOf);
  }
  return callee.type === "Identifier" && lookUp(scopeOf(callee), nameOf(callee) ?? "") !== null;
}
