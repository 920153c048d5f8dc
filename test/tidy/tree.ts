/** Parses each source of the repository once: imports, functions and header. */
import { readdirSync, readFileSync } from "node:fs";
import { dirname, join, posix } from "node:path";
import { fileURLToPath } from "node:url";
import { parseSync, Visitor } from "oxc-parser";
import { madeFolders } from "./layout-rules.ts";

export const root = dirname(dirname(dirname(fileURLToPath(import.meta.url))));

export interface Import {
  specifier: string;
  /** Path from the root of the repository; null for a package or a Node module. */
  target: string | null;
  typeOnly: boolean;
  line: number;
}

export interface FunctionSpan {
  line: number;
  /** Without the lines of named inner functions, which are measured separately. */
  lines: number;
  /** With them. */
  allLines: number;
  /** The name of the function that it is an argument of, such as `describe`; null otherwise. */
  argumentOf: string | null;
}

/** A parsed source. Lines count from 1, paths are from the root with `/`. */
export interface Source {
  path: string;
  text: string;
  imports: Import[];
  functions: FunctionSpan[];
  isBarrel: boolean;
  hasHeader: boolean;
}

/** Paths of all files that no command generates, from the root. */
export function repositoryFiles(): string[] {
  const found: string[] = [];
  const walk = (folder: string) => {
    for (const entry of readdirSync(join(root, folder), { withFileTypes: true })) {
      const path = posix.join(folder, entry.name);
      if (madeFolders.includes(path) || entry.name === ".git" || entry.name.endsWith(".log")) continue;
      if (entry.isDirectory()) walk(path);
      else found.push(path);
    }
  };
  walk(".");
  return found.sort();
}

export function readRepositoryFile(path: string): string {
  return readFileSync(join(root, path), "utf8");
}

export function repositorySources(): Source[] {
  return repositoryFiles()
    .filter((path) => /\.(tsx?|mjs)$/.test(path))
    .map((path) => parseSource(path, readRepositoryFile(path)));
}

function lineCounter(text: string): (offset: number) => number {
  const starts = [0];
  for (let at = text.indexOf("\n"); at >= 0; at = text.indexOf("\n", at + 1)) starts.push(at + 1);
  return (offset) => starts.findLastIndex((start) => start <= offset) + 1;
}

/** Measures named inner functions separately, because a factory that returns handlers is read one handler at a time. */
function measured(
  spans: readonly { start: number; end: number }[],
  named: ReadonlySet<number>,
  lineOf: (offset: number) => number,
) {
  const linesOf = ({ start, end }: { start: number; end: number }) => lineOf(end) - lineOf(start) + 1;
  const isInside = (inner: { start: number; end: number }, outer: { start: number; end: number }) =>
    inner !== outer && inner.start >= outer.start && inner.end <= outer.end;
  return spans.map((span) => {
    const inner = spans.filter((one) => named.has(one.start) && isInside(one, span));
    const outermost = inner.filter((one) => !inner.some((other) => isInside(one, other)));
    const elsewhere = outermost.reduce((sum, one) => sum + linesOf(one), 0);
    const allLines = linesOf(span);
    return { start: span.start, line: lineOf(span.start), lines: allLines - elsewhere, allLines };
  });
}

const langOf = (path: string) => (path.endsWith(".mjs") ? "js" : path.endsWith(".tsx") ? "tsx" : "ts");

export function parseSource(path: string, text: string): Source {
  const parsed = parseSync(path, text, { sourceType: "module", lang: langOf(path) });
  const problem = parsed.errors[0];
  if (problem) throw new Error(`${path}: ${problem.message}`);
  const lineOf = lineCounter(text);
  const imports: Import[] = [];
  const spans: { start: number; end: number }[] = [];
  const argumentOf = new Map<number, string>();
  const named = new Set<number>();

  const addImport = (specifier: string, typeOnly: boolean, offset: number) => {
    const target = specifier.startsWith(".") ? posix.join(posix.dirname(path), specifier) : null;
    imports.push({ specifier, target, typeOnly, line: lineOf(offset) });
  };
  const addFunction = (node: { start: number; end: number }) => spans.push(node);
  new Visitor({
    ImportDeclaration: (node) => {
      const named = node.specifiers;
      const typesOnly =
        named.length > 0 && named.every((one) => one.type === "ImportSpecifier" && one.importKind === "type");
      addImport(node.source.value, node.importKind === "type" || typesOnly, node.start);
    },
    ExportNamedDeclaration: (node) => {
      if (node.source) addImport(node.source.value, node.exportKind === "type", node.start);
    },
    ExportAllDeclaration: (node) => addImport(node.source.value, node.exportKind === "type", node.start),
    ImportExpression: (node) => {
      const { source } = node;
      if (source.type === "Literal" && typeof source.value === "string")
        addImport(source.value, false, node.start);
      if (source.type === "TemplateLiteral" && source.expressions.length === 0)
        addImport(source.quasis[0]?.value.cooked ?? "", false, node.start);
    },
    TSImportType: (node) => addImport(node.source.value, true, node.start),
    CallExpression: (node) => {
      if (node.callee.type !== "Identifier") return;
      for (const argument of node.arguments) argumentOf.set(argument.start, node.callee.name);
    },
    VariableDeclarator: (node) => node.init && named.add(node.init.start),
    Property: (node) => named.add(node.value.start),
    MethodDefinition: (node) => named.add(node.value.start),
    FunctionDeclaration: (node) => {
      named.add(node.start);
      addFunction(node);
    },
    FunctionExpression: addFunction,
    ArrowFunctionExpression: addFunction,
  }).visit(parsed.program);

  const body = parsed.program.body;
  return {
    path,
    text,
    imports,
    functions: measured(spans, named, lineOf).map((span) => ({
      line: span.line,
      lines: span.lines,
      allLines: span.allLines,
      argumentOf: argumentOf.get(span.start) ?? null,
    })),
    isBarrel:
      body.length > 0 &&
      body.every(
        (node) =>
          node.type === "ExportAllDeclaration" ||
          (node.type === "ExportNamedDeclaration" && node.declaration === null),
      ),
    hasHeader: /^(#![^\n]*\n)?\/[/*]/.test(text),
  };
}
