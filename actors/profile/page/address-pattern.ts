/** Patterns of addresses: a glob for all of one, or a regular expression for a part. */
import { runInNewContext } from "node:vm";
import { Fault } from "../../../protocol/faults.ts";

type Matches = (address: string) => boolean;

/** An expression of a caller may take for ever, and a busy machine some time. */
const matchMs = 1_000;

/** Throws `invalid` for a regular expression that is none. */
export function addressPattern(pattern: string): Matches {
  const [, source, flags] = /^\/(.+)\/([a-z]*)$/s.exec(pattern) ?? [];
  const expression = expressionOf(pattern, source ?? `^${globSource(pattern)}$`, flags ?? "s");
  let last: { address: string; holds: boolean } | null = null;
  return (address) => {
    if (last?.address !== address) last = { address, holds: matched(pattern, expression, address) };
    return last.holds;
  };
}

function globSource(glob: string): string {
  const within = new Map([
    ["**", ".*"],
    ["*", "[^/]*"],
    ["{", "(?:"],
    ["}", ")"],
    [",", "|"],
  ]);
  const balanced = /^[^{}]*(\{[^{}]*\}[^{}]*)*$/.test(glob);
  let depth = 0;
  return glob.replace(/\*\*|[\s\S]/g, (sign) => {
    if (balanced && sign === "{") depth += 1;
    const special = sign.startsWith("*") || (depth > 0 && within.has(sign));
    if (sign === "}" && depth > 0) depth -= 1;
    return special ? (within.get(sign) ?? sign) : sign.replace(/[\\^$.*+?()[\]{}|/]/g, "\\$&");
  });
}

function expressionOf(pattern: string, source: string, flags: string): RegExp {
  try {
    return new RegExp(source, flags.replace(/[gy]/g, ""));
  } catch (error) {
    throw new Fault(
      "invalid",
      `url must be a glob such as "**/orders/*" or a /regular expression/, got ${JSON.stringify(pattern.slice(0, 80))}: ${error instanceof Error ? error.message : "it cannot be read"}`,
    );
  }
}

function matched(pattern: string, expression: RegExp, address: string): boolean {
  try {
    return runInNewContext("expression.test(address)", { expression, address }, { timeout: matchMs });
  } catch {
    throw new Fault(
      "invalid",
      `url must be a pattern that is quick to match, got ${JSON.stringify(pattern.slice(0, 80))}, which took more than ${matchMs} ms`,
    );
  }
}
