/** Templates and values as TypeScript expressions. */
import type { Value } from "../../../protocol/dsl/scalars.ts";
import { type Reference, referenceOf } from "../names.ts";
import { type Expression, type Filter, parseTemplate, type Template } from "../template.ts";
import { type Emission, given, type Spot } from "./emission.ts";
import { kitNames } from "./kit.ts";
import { identifierFor, insideTemplate, literal, member, object, quote } from "./literals.ts";

export interface Expr {
  code: string;
  type: "string" | "number" | "unknown";
}

export function identifier(name: string): string {
  return identifierFor(name, kitNames);
}

export function textOf(emit: Emission, template: string, spot: Spot): string {
  return asText(emit, templateOf(emit, template, spot));
}

/** The text of a template without expressions; null for others. */
export function constantOf(emit: Emission, template: string): string | null {
  const parts = parsed(emit, template);
  return parts.every((part) => typeof part === "string") ? parts.join("") : null;
}

/** A template with exactly one expression keeps the expression's type. */
export function valueExpr(emit: Emission, value: Value, spot: Spot): Expr {
  if (Array.isArray(value))
    return { code: `[${value.map((item) => valueExpr(emit, item, spot).code).join(", ")}]`, type: "unknown" };
  if (typeof value === "string") return templateOf(emit, value, spot);
  return { code: literal(value), type: typeof value === "number" ? "number" : "unknown" };
}

/** Like `valueExpr`, but a missing path gives undefined instead of an error. */
export function softValueExpr(emit: Emission, value: Value, spot: Spot): Expr {
  const parts = typeof value === "string" ? parsed(emit, value) : [];
  const [only] = parts;
  if (parts.length === 1 && only !== undefined && typeof only !== "string")
    return expressionOf(emit, only, spot, true);
  return valueExpr(emit, value, spot);
}

export function objectOf(emit: Emission, values: Record<string, Value>, spot: Spot): string {
  return object(
    Object.entries(values).map(([name, value]) => [name, valueExpr(emit, value, spot).code] as const),
  );
}

export function asText(emit: Emission, { code, type }: Expr): string {
  if (type === "string") return code;
  return type === "number" ? `String(${code})` : `${emit.kit.use("text")}(${code})`;
}

export function asNumber(emit: Emission, { code, type }: Expr, { block }: Spot): string {
  return type === "number" ? code : `${emit.kit.use("toNumber")}(${quote(block.id)}, ${code})`;
}

export function insideOf(emit: Emission, template: string, spot: Spot): string {
  const inside = parsed(emit, template).map((part) => {
    if (typeof part === "string") return insideTemplate(part);
    const { code, type } = expressionOf(emit, part, spot, false);
    return `\${${type === "unknown" ? asText(emit, { code, type }) : code}}`;
  });
  return inside.join("");
}

function parsed(emit: Emission, template: string): Template {
  return emit.facts.templates.get(template) ?? parseTemplate(template);
}

function templateOf(emit: Emission, template: string, spot: Spot): Expr {
  const parts = parsed(emit, template);
  const [only] = parts;
  if (parts.length === 1 && only !== undefined)
    return typeof only === "string"
      ? { code: quote(only), type: "string" }
      : expressionOf(emit, only, spot, false);
  return { code: `\`${insideOf(emit, template, spot)}\``, type: "string" };
}

function expressionOf(emit: Emission, expression: Expression, spot: Spot, soft: boolean): Expr {
  const { locals, block } = spot;
  const reference = referenceOf(expression, locals, emit.facts);
  const [first] = expression.filters;
  const lenient = soft || first?.name === "default";
  const start = referenceCode(emit, reference, expression, block.id, lenient);
  return expression.filters.reduce((value, filter) => filtered(emit, value, filter, spot), start);
}

function referenceCode(
  emit: Emission,
  reference: Reference,
  { path: full }: Expression,
  node: string,
  soft: boolean,
): Expr {
  const { path } = reference;
  const walk = (root: string): Expr => {
    const steps = path.map(literal);
    if (steps.length === 0) return { code: root, type: "unknown" };
    if (soft) return { code: `${emit.kit.use("at")}(${[root, ...steps].join(", ")})`, type: "unknown" };
    const shown = full.map((step, index) => (index === 0 ? String(step) : member(step))).join("");
    return {
      code: `${emit.kit.use("value")}(${[quote(node), quote(shown), root, ...steps].join(", ")})`,
      type: "unknown",
    };
  };
  switch (reference.root) {
    case "local": {
      const { name, type } = reference.local;
      const code = identifier(name);
      if (type === "number" || type === "text") return { code, type: type === "text" ? "string" : type };
      return walk(code);
    }
    case "row":
    case "rows":
      return walk(given(emit, reference.root));
    case "vars":
      return walk("vars");
    case "profile":
    case "run":
      return { code: `${given(emit, reference.root)}${member(path[0] ?? "id")}`, type: "string" };
    case "now":
      return { code: "new Date().toISOString()", type: "string" };
    case "input":
      if (reference.declared) return { code: `input${member(path[0] ?? "")}`, type: "string" };
      return walk(given(emit, "variables"));
  }
}

function filtered(emit: Emission, value: Expr, { name, args }: Filter, spot: Spot): Expr {
  const node = quote(spot.block.id);
  const [first = "", second] = args;
  const string = (code: string): Expr => ({ code, type: "string" });
  const list = () => `${emit.kit.use("toList")}(${node}, ${value.code})`;
  switch (name) {
    case "trim":
      return string(`${asText(emit, value)}.trim()`);
    case "lower":
      return string(`${asText(emit, value)}.toLowerCase()`);
    case "upper":
      return string(`${asText(emit, value)}.toUpperCase()`);
    case "slice":
      return string(`${asText(emit, value)}.slice(${second === undefined ? first : `${first}, ${second}`})`);
    case "replace":
      return string(`${asText(emit, value)}.replaceAll(${quote(first)}, () => ${quote(second ?? "")})`);
    case "split":
      return { code: `${asText(emit, value)}.split(${quote(first)})`, type: "unknown" };
    case "join":
      return string(`${list()}.map(${emit.kit.use("text")}).join(${quote(first)})`);
    case "number":
      return { code: asNumber(emit, value, spot), type: "number" };
    case "int":
      return { code: `Math.trunc(${asNumber(emit, value, spot)})`, type: "number" };
    case "json":
      return string(`JSON.stringify(${value.code})`);
    case "default":
      return { code: `${emit.kit.use("orElse")}(${value.code}, ${quote(first)})`, type: "unknown" };
    case "urlencode":
      return string(`encodeURIComponent(${asText(emit, value)})`);
    case "length":
      return { code: `${emit.kit.use("sizeOf")}(${value.code})`, type: "number" };
    case "first":
      return { code: `${list()}[0]`, type: "unknown" };
    case "last":
      return { code: `${list()}.at(-1)`, type: "unknown" };
    case "random":
      emit.kit.use("randomItem");
      return { code: `randomItem(${list()})`, type: "unknown" };
    case "date":
      return string(`${emit.kit.use("formatDate")}(${node}, ${value.code}, ${quote(first)})`);
  }
}
