/** Guarded access to syntax tree nodes (ESTree with TypeScript). */

/** Offsets are UTF-16 units from the start of the source. */
export interface Node {
  type: string;
  start: number;
  end: number;
  [field: string]: unknown;
}

export function isNode(value: unknown): value is Node {
  return typeof value === "object" && value !== null && "type" in value && typeof value.type === "string";
}

export function child(node: Node, field: string): Node | null {
  const value = node[field];
  return isNode(value) ? value : null;
}

export function list(node: Node, field: string): Node[] {
  const value = node[field];
  return Array.isArray(value) ? value.filter(isNode) : [];
}

/** The name of an identifier, or the text of a string literal. */
export function nameOf(node: Node | null): string | null {
  if (node === null) return null;
  if (node.type === "Identifier" || node.type === "PrivateIdentifier")
    return typeof node.name === "string" ? node.name : null;
  return textOf(node);
}

export function textOf(node: Node | null): string | null {
  if (node?.type === "Literal") return typeof node.value === "string" ? node.value : null;
  if (node?.type !== "TemplateLiteral" || list(node, "expressions").length > 0) return null;
  const [quasi] = list(node, "quasis");
  const value = quasi?.value;
  return typeof value === "object" && value !== null && "cooked" in value && typeof value.cooked === "string"
    ? value.cooked
    : null;
}

const wrappers = new Set([
  "ParenthesizedExpression",
  "TSAsExpression",
  "TSSatisfiesExpression",
  "TSNonNullExpression",
  "TSTypeAssertion",
  "TSInstantiationExpression",
  "ChainExpression",
]);

export function bare(node: Node | null): Node | null {
  let inner = node;
  while (inner !== null && wrappers.has(inner.type)) inner = child(inner, "expression");
  return inner;
}

/** The member's name: null if computed at run time, undefined if the node is no member access. */
export function memberName(node: Node): string | null | undefined {
  if (node.type !== "MemberExpression") return undefined;
  const property = child(node, "property");
  return node.computed === true ? textOf(bare(property)) : nameOf(property);
}

export interface FunctionNode extends Node {
  type: "FunctionDeclaration" | "FunctionExpression" | "ArrowFunctionExpression";
}

export function isFunction(node: Node | null): node is FunctionNode {
  return (
    node !== null &&
    (node.type === "FunctionDeclaration" ||
      node.type === "FunctionExpression" ||
      node.type === "ArrowFunctionExpression")
  );
}

/** True for type syntax, which runs nothing. Enums, namespaces and assertions around expressions do run. */
export function isErased(node: Node): boolean {
  if (!node.type.startsWith("TS")) return false;
  const runs = ["TSEnumDeclaration", "TSEnumBody", "TSEnumMember", "TSModuleDeclaration", "TSModuleBlock"];
  const holds = ["TSExportAssignment", "TSImportEqualsDeclaration", "TSParameterProperty"];
  return !wrappers.has(node.type) && !runs.includes(node.type) && !holds.includes(node.type);
}
