/** Rules about the runtime: dynamic imports, the process, code from text, the network. */
import type { Report } from "./imports.ts";
import type { RuleId } from "./rules.ts";
import { lookUp, type Scope, type ScopeOf } from "./scopes.ts";
import type { Placed, Survey } from "./survey.ts";
import { bare, child, isFunction, list, memberName, type Node, nameOf } from "./syntax-tree.ts";

const globals: Readonly<Record<string, RuleId>> = {
  require: "no-require",
  module: "no-require",
  exports: "no-require",
  __dirname: "no-require",
  __filename: "no-require",
  process: "no-process",
  global: "no-process",
  eval: "no-eval",
  Function: "no-eval",
  fetch: "no-node-network",
  WebSocket: "no-node-network",
  XMLHttpRequest: "no-node-network",
  EventSource: "no-node-network",
};

const nodeOnly: ReadonlySet<RuleId> = new Set(["no-process", "no-node-network", "no-require"]);

const pageMethods = new Set([
  "evaluate",
  "evaluateHandle",
  "evaluateAll",
  "evaluateOnNewDocument",
  "addInitScript",
  "waitForFunction",
  "$eval",
  "$$eval",
]);

export function checkRuntimeUse({ noted, scopeOf }: Survey, report: Report): void {
  const pageFunctions = findPageFunctions(noted, scopeOf);
  for (const { node, scope } of noted) {
    const rule = brokenRule(node, scopeOf);
    if (rule !== null && !(nodeOnly.has(rule) && isInside(scope, pageFunctions))) report(rule, node);
  }
}

function isInside(scope: Scope, functions: ReadonlySet<Node>): boolean {
  for (let at: Scope | null = scope; at !== null; at = at.parent) if (functions.has(at.opener)) return true;
  return false;
}

function brokenRule(node: Node, scopeOf: ScopeOf): RuleId | null {
  switch (node.type) {
    case "ImportExpression":
    case "TSImportEqualsDeclaration":
      return "no-dynamic-import";
    case "Identifier": {
      const name = nameOf(node) ?? "";
      return Object.hasOwn(globals, name) && lookUp(scopeOf(node), name) === null
        ? (globals[name] ?? null)
        : null;
    }
    case "MemberExpression":
      return memberRule(node, scopeOf);
    case "CallExpression":
      return isTimerOfText(node, scopeOf) ? "no-eval" : null;
    default:
      return null;
  }
}

function memberRule(node: Node, scopeOf: ScopeOf): RuleId | null {
  const name = memberName(node) ?? null;
  const object = bare(child(node, "object"));
  if (name === "constructor") return "no-eval";
  if (object?.type === "MetaProperty") return name === "resolve" ? "no-dynamic-import" : null;
  if (object?.type !== "Identifier" || nameOf(object) !== "globalThis") return null;
  if (lookUp(scopeOf(object), "globalThis") !== null) return null;
  if (name === null) return "no-process";
  return Object.hasOwn(globals, name) ? (globals[name] ?? null) : null;
}

function isTimerOfText(call: Node, scopeOf: ScopeOf): boolean {
  const callee = bare(child(call, "callee"));
  const name = nameOf(callee);
  if (callee?.type !== "Identifier" || (name !== "setTimeout" && name !== "setInterval")) return false;
  const [first] = list(call, "arguments");
  const text = bare(first ?? null);
  const isText =
    text?.type === "TemplateLiteral" || (text?.type === "Literal" && typeof text.value === "string");
  return isText && lookUp(scopeOf(callee), name) === null;
}

function findPageFunctions(noted: readonly Placed[], scopeOf: ScopeOf): Set<Node> {
  const found = new Set<Node>();
  for (const { node } of noted) {
    const callee = node.type === "CallExpression" ? bare(child(node, "callee")) : null;
    if (callee === null || !pageMethods.has(memberName(callee) ?? "")) continue;
    for (const argument of list(node, "arguments")) {
      const value = bare(argument);
      const named = value?.type === "Identifier" ? lookUp(scopeOf(value), nameOf(value) ?? "") : null;
      const target = named === null ? value : named.declaration;
      if (isFunction(target)) found.add(target);
    }
  }
  return found;
}
