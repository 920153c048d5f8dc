/** Lexical scopes of one module: resolves a name to its declaration. A name without a binding is a global. */
import { bare, child, isFunction, list, type Node, nameOf } from "./syntax-tree.ts";

export interface Binding {
  name: string;
  node: Node;
  declaration: Node | null;
}

export interface Scope {
  parent: Scope | null;
  opener: Node;
  isFunction: boolean;
  bindings: Map<string, Binding>;
}

export type ScopeOf = (node: Node) => Scope;

export function openScope(opener: Node, parent: Scope | null): Scope {
  return { parent, opener, isFunction: parent === null || isFunction(opener), bindings: new Map() };
}

export function lookUp(scope: Scope, name: string): Binding | null {
  for (let at: Scope | null = scope; at !== null; at = at.parent) {
    const binding = at.bindings.get(name);
    if (binding !== undefined) return binding;
  }
  return null;
}

export const opening: ReadonlySet<string> = new Set([
  "FunctionDeclaration",
  "FunctionExpression",
  "ArrowFunctionExpression",
  "ClassExpression",
  "BlockStatement",
  "ForStatement",
  "ForInStatement",
  "ForOfStatement",
  "SwitchStatement",
  "CatchClause",
  "StaticBlock",
]);

/** Adds a node's declarations to the scope that the node opens, such as parameters. */
export function declareInside(node: Node, inner: Scope): void {
  if (isFunction(node)) {
    for (const param of list(node, "params")) declarePattern(param, inner, null);
    if (node.type === "FunctionExpression") declarePattern(child(node, "id"), inner, node);
  }
  if (node.type === "ClassExpression") declarePattern(child(node, "id"), inner, node);
  if (node.type === "CatchClause") declarePattern(child(node, "param"), inner, null);
}

/** Adds a node's declarations to the scope around the node. */
export function declare(node: Node, scope: Scope): void {
  if (node.type === "VariableDeclaration") {
    const target = node.kind === "var" ? functionScope(scope) : scope;
    for (const declarator of list(node, "declarations"))
      declarePattern(child(declarator, "id"), target, functionValue(declarator));
  } else if (node.type === "FunctionDeclaration" || node.type === "ClassDeclaration") {
    declarePattern(child(node, "id"), scope, node);
  } else if (
    node.type === "TSEnumDeclaration" ||
    node.type === "TSModuleDeclaration" ||
    node.type === "TSImportEqualsDeclaration"
  ) {
    declarePattern(child(node, "id"), scope, null);
  } else if (node.type.startsWith("Import") && node.type.endsWith("Specifier")) {
    declarePattern(child(node, "local"), scope, null);
  }
}

function functionValue(declarator: Node): Node | null {
  const value = bare(child(declarator, "init"));
  return isFunction(value) ? value : null;
}

function functionScope(scope: Scope): Scope {
  let at = scope;
  while (!at.isFunction && at.parent !== null) at = at.parent;
  return at;
}

function declarePattern(pattern: Node | null, scope: Scope, declaration: Node | null): void {
  for (const node of patternNames(pattern)) {
    const name = nameOf(node);
    if (name !== null) scope.bindings.set(name, { name, node, declaration });
  }
}

function patternNames(pattern: Node | null): Node[] {
  if (pattern === null) return [];
  switch (pattern.type) {
    case "Identifier":
      return [pattern];
    case "ObjectPattern":
      return list(pattern, "properties").flatMap((property) =>
        patternNames(child(property, property.type === "RestElement" ? "argument" : "value")),
      );
    case "ArrayPattern":
      return list(pattern, "elements").flatMap(patternNames);
    case "AssignmentPattern":
      return patternNames(child(pattern, "left"));
    case "RestElement":
      return patternNames(child(pattern, "argument"));
    case "TSParameterProperty":
      return patternNames(child(pattern, "parameter"));
    default:
      return [];
  }
}
