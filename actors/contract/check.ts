/** Checks a script's source against the Raw script contract (actors/contract/README.md, "Rules"). Pure. */
import { limits } from "../../protocol/limits.ts";
import type { Violation } from "../../protocol/messages/tasks.ts";
import type { ScriptLibrary } from "../../protocol/scalars.ts";
import { checkImports, librarySources, type Report } from "./imports.ts";
import { checkLibraryUse } from "./library-use.ts";
import { checkDefaultExport, checkTopLevel } from "./module-shape.ts";
import { createLineFinder, parse } from "./parse.ts";
import { type RuleId, rules } from "./rules.ts";
import { checkRuntimeUse } from "./runtime-use.ts";
import { survey } from "./survey.ts";
import { followValues } from "./values.ts";

export interface ContractAnswer {
  /** Sorted by line, then rule; at most `limits.violationsMax`. */
  violations: Violation[];
  library: ScriptLibrary;
}

/** Checks one script; this is advice, the sandbox enforces. A source that is too large or does not parse reports only that. */
export function checkContract(source: string): ContractAnswer {
  const tooLarge = sizeViolations(source);
  if (tooLarge.length > 0) return { violations: sorted(tooLarge), library: "playwright" };
  const lineOf = createLineFinder(source);
  const { program, errors } = parse(source);
  if (errors.length > 0) {
    const found = errors.map(({ offset, message }) => violation("syntax", lineOf(offset), message));
    return { violations: sorted(found), library: "playwright" };
  }
  const found: Violation[] = [];
  const report: Report = (rule, node, detail) => found.push(violation(rule, lineOf(node.start), detail));
  const module = survey(program);
  if ("tooDeep" in module) {
    report("syntax", module.tooDeep, `nested more than ${limits.scriptNestingMax} deep`);
    return { violations: found, library: "playwright" };
  }
  const { scopeOf } = module;
  const library = checkImports(program, report);
  const run = checkDefaultExport(program, scopeOf, report);
  checkTopLevel(program, scopeOf, report);
  checkRuntimeUse(module, report);
  checkLibraryUse(module, followValues(module, run, librarySources), library, report);
  return { violations: sorted(found), library };
}

function violation(rule: RuleId, line: number, detail?: string): Violation {
  if (rule === "syntax") return { line, rule, message: detail ?? rules.syntax };
  return { line, rule, message: detail === undefined ? rules[rule] : `${detail}: ${rules[rule]}` };
}

function sizeViolations(source: string): Violation[] {
  const bytes = new TextEncoder().encode(source).length;
  if (bytes > limits.scriptSourceBytesMax)
    return [violation("size", 1, `${bytes} bytes, more than ${limits.scriptSourceBytesMax}`)];
  return source.split("\n").flatMap((line, index) => {
    const length = line.length;
    const detail = `a line of ${length} characters, more than ${limits.scriptLineCharsMax}`;
    return length > limits.scriptLineCharsMax ? [violation("size", index + 1, detail)] : [];
  });
}

/** An expression often breaks a rule in several of its nodes: report each rule once per line. */
function sorted(found: Violation[]): Violation[] {
  const byPlace = new Map(found.map((one) => [`${one.line} ${one.rule}`, one]));
  return [...byPlace.values()]
    .sort((a, b) => a.line - b.line || (a.rule < b.rule ? -1 : 1))
    .slice(0, limits.violationsMax);
}
