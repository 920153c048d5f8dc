/**
 * Infers what an expression is: library, browser, context or page. Follows imports, aliases, destructuring, assignments, `await` and
 * annotations, but not the script's own objects and calls: the sandbox stops what this misses.
 */
import { type Binding, lookUp, type ScopeOf } from "./scopes.ts";
import type { Survey } from "./survey.ts";
import { bare, child, isFunction, list, memberName, type Node, nameOf } from "./syntax-tree.ts";

export type Kind =
  | "library"
  | "launcher"
  | "connect"
  | "given"
  | "browser"
  | "contexts"
  | "context"
  | "page"
  | "pages"
  | `call:${"browser" | "contexts" | "context" | "pages" | "page"}`;

const members: Readonly<Partial<Record<Kind, Readonly<Record<string, Kind>>>>> = {
  library: {
    default: "library",
    puppeteer: "library",
    chromium: "launcher",
    firefox: "launcher",
    webkit: "launcher",
    connect: "connect",
  },
  launcher: { connectOverCDP: "connect", connect: "connect" },
  given: { page: "page", browser: "browser" },
  browser: {
    contexts: "call:contexts",
    browserContexts: "call:contexts",
    defaultBrowserContext: "call:context",
    pages: "call:pages",
    newPage: "call:page",
  },
  context: { pages: "call:pages", newPage: "call:page", browser: "call:browser" },
  page: { context: "call:context", browserContext: "call:context", browser: "call:browser" },
};

const typeKinds: Readonly<Record<string, Kind>> = {
  Page: "page",
  Browser: "browser",
  BrowserContext: "context",
  BrowserType: "launcher",
  ScriptContext: "given",
};

const givingTypes = new Set([
  "ImportDeclaration",
  "VariableDeclarator",
  "AssignmentExpression",
  "ForOfStatement",
]);

/** An alias used before its own alias is defined needs one more pass. Honest scripts have only short chains. */
const passesMax = 16;

export interface Values {
  kindOf(node: Node | null): Kind | null;
  /** Members that destructuring reads; `name` is null for a computed member. */
  readonly destructured: { kind: Kind; name: string | null; node: Node }[];
}

/** Infers the kinds of a module's names. `run` is the default export's function. */
export function followValues(
  { noted, scopeOf }: Survey,
  run: Node | null,
  librarySources: ReadonlySet<string>,
): Values {
  const kinds = new Map<Binding, Kind>();
  // Cache of the current pass: long call chains ask for the same links again. Reset when a name's kind changes.
  let known = new Map<Node, Kind | null>();
  let destructured: Values["destructured"] = [];

  const kindOf = (node: Node | null): Kind | null => {
    const at = bare(node);
    if (at === null) return null;
    if (at.type === "Identifier") {
      const binding = lookUp(scopeOf(at), nameOf(at) ?? "");
      return binding === null ? null : (kinds.get(binding) ?? null);
    }
    let kind = known.get(at);
    if (kind === undefined) {
      kind = kindOfExpression(at);
      known.set(at, kind);
    }
    return kind;
  };
  const kindOfExpression = (at: Node): Kind | null => {
    if (at.type === "AwaitExpression") return kindOf(child(at, "argument"));
    if (at.type === "CallExpression") return calledKind(kindOf(child(at, "callee")));
    if (at.type === "MemberExpression")
      return memberKind(kindOf(child(at, "object")), memberName(at) ?? null);
    if (at.type === "AssignmentExpression") return kindOf(child(at, "right"));
    if (at.type === "LogicalExpression") return kindOf(child(at, "left")) ?? kindOf(child(at, "right"));
    if (at.type === "ConditionalExpression")
      return kindOf(child(at, "consequent")) ?? kindOf(child(at, "alternate"));
    if (at.type === "SequenceExpression") return kindOf(list(at, "expressions").at(-1) ?? null);
    return null;
  };
  const bind = (pattern: Node | null, kind: Kind | null): void => {
    if (pattern === null) return;
    const annotated = kind ?? annotatedKind(pattern, scopeOf);
    if (pattern.type === "Identifier" && annotated !== null) {
      const binding = lookUp(scopeOf(pattern), nameOf(pattern) ?? "");
      if (binding === null || kinds.get(binding) === annotated) return;
      kinds.set(binding, annotated);
      known = new Map();
    } else if (pattern.type === "AssignmentPattern") bind(child(pattern, "left"), annotated);
    else if (pattern.type === "ArrayPattern")
      for (const element of list(pattern, "elements"))
        bind(element, annotated === null ? null : memberKind(annotated, null));
    else if (pattern.type === "ObjectPattern")
      for (const property of list(pattern, "properties")) {
        if (property.type === "RestElement") {
          bind(child(property, "argument"), annotated);
          continue;
        }
        const name =
          property.computed === true ? nameOf(literalKey(property)) : nameOf(child(property, "key"));
        if (annotated !== null) destructured.push({ kind: annotated, name, node: property });
        bind(child(property, "value"), annotated === null ? null : memberKind(annotated, name));
      }
  };
  const learn = (node: Node): void => {
    if (node.type === "ImportDeclaration" && librarySources.has(nameOf(child(node, "source")) ?? ""))
      for (const specifier of list(node, "specifiers"))
        bind(child(specifier, "local"), importedKind(specifier));
    if (node.type === "VariableDeclarator") bind(child(node, "id"), kindOf(child(node, "init")));
    if (node.type === "AssignmentExpression") bind(child(node, "left"), kindOf(child(node, "right")));
    if (node.type === "ForOfStatement") bindLoop(node, bind, kindOf);
    if (isFunction(node))
      for (const [index, param] of list(node, "params").entries())
        bind(param, node === run && index === 0 ? "given" : null);
  };
  const teachers = noted.filter(({ node }) => givingTypes.has(node.type) || isFunction(node));
  // A name can be used above its assignment: repeat until a pass learns nothing new.
  for (let pass = 0, before = -1; pass < passesMax && before !== kinds.size; pass += 1) {
    before = kinds.size;
    destructured = [];
    for (const { node } of teachers) learn(node);
  }
  return { kindOf, destructured };
}

function bindLoop(
  loop: Node,
  bind: (pattern: Node | null, kind: Kind | null) => void,
  kindOf: (node: Node | null) => Kind | null,
): void {
  const left = child(loop, "left");
  const kind = kindOf(child(loop, "right"));
  const element = kind === null ? null : memberKind(kind, null);
  if (left?.type === "VariableDeclaration")
    for (const declarator of list(left, "declarations")) bind(child(declarator, "id"), element);
  else bind(left, element);
}

function literalKey(property: Node): Node | null {
  const key = bare(child(property, "key"));
  return key?.type === "Literal" || key?.type === "TemplateLiteral" ? key : null;
}

function importedKind(specifier: Node): Kind | null {
  if (specifier.importKind === "type") return null;
  if (specifier.type !== "ImportSpecifier") return "library";
  const name = nameOf(child(specifier, "imported"));
  return name === null ? null : memberKind("library", name);
}

function memberKind(kind: Kind | null, name: string | null): Kind | null {
  if (kind === "contexts") return "context";
  if (kind === "pages") return "page";
  if (kind === null || name === null) return null;
  const table = members[kind];
  return table !== undefined && Object.hasOwn(table, name) ? (table[name] ?? null) : null;
}

function calledKind(kind: Kind | null): Kind | null {
  switch (kind) {
    case "connect":
    case "call:browser":
      return "browser";
    case "call:contexts":
      return "contexts";
    case "call:context":
      return "context";
    case "call:pages":
      return "pages";
    case "call:page":
      return "page";
    default:
      return null;
  }
}

function annotatedKind(pattern: Node, scopeOf: ScopeOf): Kind | null {
  const annotation = child(pattern, "typeAnnotation");
  const type = annotation === null ? null : child(annotation, "typeAnnotation");
  const name = type?.type === "TSTypeReference" ? nameOf(child(type, "typeName")) : null;
  // Only imported types bind a name; a type declared in the script is erased.
  if (name === null || lookUp(scopeOf(pattern), name) === null) return null;
  return Object.hasOwn(typeKinds, name) ? (typeKinds[name] ?? null) : null;
}
