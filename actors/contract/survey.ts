/** The one walk over a module: its scopes, and the nodes that the rules ask about. What comes after reads lists. */
import { limits } from "../../protocol/limits.ts";
import { childFields, children } from "./parse.ts";
import { declare, declareInside, opening, openScope, type Scope, type ScopeOf } from "./scopes.ts";
import { isErased, isNode, type Node } from "./syntax-tree.ts";

/** A node and the scope in which it stands. */
export interface Placed {
  node: Node;
  scope: Scope;
}

export interface Survey {
  program: Node;
  /** The scope of a name or pattern. */
  scopeOf: ScopeOf;
  /** Nodes of the types that rules are about, in source order; only what runs, neither types nor names of members. */
  noted: readonly Placed[];
}

/** Types that some rule is about. */
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

/** Types whose scope is asked for: names, and the patterns that carry a type annotation. */
const scopedTypes = new Set(["Identifier", "ObjectPattern", "ArrayPattern", "AssignmentPattern"]);

/** Types whose key, unless it is computed, or label refers to nothing. */
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

/** What the walk needs to know of a type; found out once a type. */
interface TypeFacts {
  erased: boolean;
  noted: boolean;
  scoped: boolean;
  opens: boolean;
  /** The fields that hold what it evaluates. */
  fields: readonly string[];
  silent: string | null;
}

interface Walk {
  scopes: Map<Node, Scope>;
  noted: Placed[];
  /** The first node below the deepest level that is allowed. */
  tooDeep: Node | null;
}

/** Walks over a module; one that is nested deeper than `limits.scriptNestingMax` is answered by the node that is. */
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
    // No rule is about a type, but what takes the types off recurses through it too.
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
