/** How this folder looks at a syntax tree (ESTree with TypeScript): every node alike, fields read through guards. */

/** A node; offsets are in UTF-16 units from the start of the source. */
export interface Node {
  type: string;
  start: number;
  end: number;
  [field: string]: unknown;
}

export function isNode(value: unknown): value is Node {
  return typeof value === "object" && value !== null && "type" in value && typeof value.type === "string";
}

/** The node in a field; null when there is none. */
export function child(node: Node, field: string): Node | null {
  const value = node[field];
  return isNode(value) ? value : null;
}

/** The nodes in a list field. */
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

/** The text of a string literal, or of a template without holes. */
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

/** The expression inside parentheses, type assertions and optional chains. */
export function bare(node: Node | null): Node | null {
  let inner = node;
  while (inner !== null && wrappers.has(inner.type)) inner = child(inner, "expression");
  return inner;
}

/** The member that is read: its name, or null when it is computed at run time. Undefined when this reads no member. */
export function memberName(node: Node): string | null | undefined {
  if (node.type !== "MemberExpression") return undefined;
  const property = child(node, "property");
  return node.computed === true ? textOf(bare(property)) : nameOf(property);
}

/** A function in any of its three forms. */
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

/** Type syntax, which is erased and runs nothing. Enums, namespaces and assertions around expressions are not. */
export function isErased(node: Node): boolean {
  if (!node.type.startsWith("TS")) return false;
  const runs = ["TSEnumDeclaration", "TSEnumBody", "TSEnumMember", "TSModuleDeclaration", "TSModuleBlock"];
  const holds = ["TSExportAssignment", "TSImportEqualsDeclaration", "TSParameterProperty"];
  return !wrappers.has(node.type) && !runs.includes(node.type) && !holds.includes(node.type);
}
