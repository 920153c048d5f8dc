/** Conditions as TypeScript expressions. */
import type { Condition } from "../../../protocol/dsl/condition.ts";
import type { Emission, Spot } from "./emission.ts";
import { asNumber, asText, type Expr, softValueExpr, valueExpr } from "./expressions.ts";
import { regex } from "./literals.ts";

const numeric = { gt: ">", gte: ">=", lt: "<", lte: "<=" } as const;

export function conditionOf(emit: Emission, condition: Condition, spot: Spot): string {
  switch (condition.op) {
    case "and":
    case "or": {
      const sides = condition.of.map((one) => conditionOf(emit, one, spot));
      const [only = "true"] = sides;
      return sides.length === 1 ? only : `(${sides.join(condition.op === "and" ? " && " : " || ")})`;
    }
    case "not":
      return negated(conditionOf(emit, condition.of, spot));
    case "exists":
    case "visible":
    case "hidden":
    case "enabled":
    case "checked":
      return emit.dialect.test(emit, condition.op, condition.target, spot);
    case "url":
      return `${regex(condition.matches)}.test(${spot.scope}.url())`;
    case "matches":
      return `${regex(condition.right)}.test(${asText(emit, valueExpr(emit, condition.left, spot))})`;
    case "empty":
      return `${emit.kit.use("isEmpty")}(${softValueExpr(emit, condition.left, spot).code})`;
    case "notEmpty":
      return `!${emit.kit.use("isEmpty")}(${softValueExpr(emit, condition.left, spot).code})`;
    case "gt":
    case "gte":
    case "lt":
    case "lte": {
      const left = asNumber(emit, valueExpr(emit, condition.left, spot), spot);
      return `(${left} ${numeric[condition.op]} ${asNumber(emit, valueExpr(emit, condition.right, spot), spot)})`;
    }
    default:
      return compared(emit, condition, spot);
  }
}

function compared(
  emit: Emission,
  {
    op,
    left,
    right,
  }: Extract<Condition, { op: "eq" | "ne" | "contains" | "notContains" | "startsWith" | "endsWith" }>,
  spot: Spot,
): string {
  const whole = valueExpr(emit, left, spot);
  const part = valueExpr(emit, right, spot);
  switch (op) {
    case "eq":
      return `(${comparable(emit, whole, part)} === ${asText(emit, part)})`;
    case "ne":
      return `(${comparable(emit, whole, part)} !== ${asText(emit, part)})`;
    case "startsWith":
    case "endsWith":
      return `${asText(emit, whole)}.${op}(${asText(emit, part)})`;
    default:
      return `${op === "notContains" ? "!" : ""}${emit.kit.use("contains")}(${whole.code}, ${part.code})`;
  }
}

/** TypeScript rejects a comparison of two different literals: wrap the left one in a call. */
function comparable(emit: Emission, left: Expr, right: Expr): string {
  const both = [left, right].every(({ code }) => code.startsWith('"'));
  return both ? `${emit.kit.use("text")}(${left.code})` : asText(emit, left);
}

export function bareCondition(code: string): string {
  if (!code.startsWith("(") || !code.endsWith(")")) return code;
  let depth = 0;
  let quoted: string | null = null;
  for (let at = 0; at < code.length; at += 1) {
    const letter = code[at];
    if (quoted !== null) {
      if (letter === "\\") at += 1;
      else if (letter === quoted) quoted = null;
    } else if (letter === '"' || letter === "`") quoted = letter;
    else if (letter === "/" || letter === "[") return code;
    else if (letter === "(") depth += 1;
    else if (letter === ")") depth -= 1;
    if (quoted === null && depth === 0 && at < code.length - 1) return code;
  }
  return code.slice(1, -1);
}

function negated(code: string): string {
  if (/^[\w.]+\(/.test(code) || code.startsWith("(")) return `!${code}`;
  return `!(${code})`;
}
