/** Walks a module once and collects its scopes and the nodes that rules check, so that each rule reads a list. */
import { limits } from "../../protocol/limits.ts";
import { childFields, children } from "./parse.ts";
import { declare, declareInside, opening, openScope, type Scope, type ScopeOf } from "./scopes.ts";
import { isErased, isNode, type Node } from "./syntax-tree.ts";

export interface Placed {
  node: Node;
  scope: Scope;
}

export interface Survey {
  program: Node;
  scopeOf: ScopeOf;
  /** Nodes that a rule checks, in source order. Without types and member names, because those do not run. */
  noted: readonly Placed[];
}

const notedTypes = new Set([
  "ImportDeclaration",
  "ImportExpression",
  "TSImportEqualsDeclaration",
  "VariableDeclarator",
  "AssignmentExpression",
  "ForOfStatement",
  "FunctionDeclaration",
  "FunctionExpression",
  "ArrowFunctionExpression",
  "Identifier",
  "MemberExpression",
  "CallExpression",
]);

const scopedTypes = new Set(["Identifier", "ObjectPattern", "ArrayPattern", "AssignmentPattern"]);

/** Fields that refer to nothing: a label, or a key that is not computed. */
const silentFields: Readonly<Record<string, string>> = {
  MemberExpression: "property",
  Property: "key",
  MethodDefinition: "key",
  PropertyDefinition: "key",
  AccessorProperty: "key",
  LabeledStatement: "label",
  BreakStatement: "label",
  ContinueStatement: "label",
};

interface TypeFacts {
  erased: boolean;
  noted: boolean;
  scoped: boolean;
  opens: boolean;
  fields: readonly string[];
  silent: string | null;
}

interface Walk {
  scopes: Map<Node, Scope>;
  noted: Placed[];
  tooDeep: Node | null;
}

/** Walks a module. Returns the offending node if nesting exceeds `limits.scriptNestingMax`. */
export function survey(program: Node): Survey | { tooDeep: Node } {
  const walk: Walk = { scopes: new Map(), noted: [], tooDeep: null };
  const root = openScope(program, null);
  visit(program, root, 0, walk);
  if (walk.tooDeep !== null) return { tooDeep: walk.tooDeep };
  return { program, scopeOf: (node) => walk.scopes.get(node) ?? root, noted: walk.noted };
}

function visit(node: Node, scope: Scope, depth: number, walk: Walk): void {
  const facts = factsOf(node);
  if (depth > limits.scriptNestingMax) {
    walk.tooDeep ??= node;
    return;
  }
  if (facts.erased) {
    // No rule is about types, but the type stripper recurses through them: apply the nesting limit here too.
    for (const below of children(node)) visitErased(below, depth + 1, walk);
    return;
  }
  if (facts.scoped) walk.scopes.set(node, scope);
  if (facts.noted) walk.noted.push({ node, scope });
  declare(node, scope);
  let inner = scope;
  if (facts.opens) {
    inner = openScope(node, scope);
    declareInside(node, inner);
  }
  const silent = node.computed === true ? null : facts.silent;
  for (const field of facts.fields) {
    if (field === silent) continue;
    const value = node[field];
    if (Array.isArray(value)) {
      for (const item of value) if (isNode(item)) visit(item, inner, depth + 1, walk);
    } else if (isNode(value)) visit(value, inner, depth + 1, walk);
  }
}

function visitErased(node: Node, depth: number, walk: Walk): void {
  if (depth > limits.scriptNestingMax) walk.tooDeep ??= node;
  else for (const below of children(node)) visitErased(below, depth + 1, walk);
}

const factsByType = new Map<string, TypeFacts>();

function factsOf(node: Node): TypeFacts {
  const { type } = node;
  const known = factsByType.get(type);
  if (known !== undefined) return known;
  const refersToNothing = type.endsWith("Specifier") || type === "MetaProperty";
  const facts: TypeFacts = {
    erased: isErased(node),
    noted: notedTypes.has(type),
    scoped: scopedTypes.has(type),
    opens: opening.has(type),
    fields: refersToNothing ? [] : childFields(node),
    silent: silentFields[type] ?? null,
  };
  factsByType.set(type, facts);
  return facts;
}
