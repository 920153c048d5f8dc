/** Finds blocks that may read a variable before it is set. */
import type { Block } from "../../protocol/dsl/flow-blocks.ts";
import type { Facts } from "./check-meaning.ts";
import { referenceOf } from "./names.ts";
import { sectionsOf, variableSetBy } from "./sections.ts";

type Names = ReadonlySet<string>;

export function unsetReads(facts: Facts): Map<Block, string[]> {
  const found = new Map<Block, string[]>();
  const readsOf = variableReads(facts);
  const subflows = new Map<string, Names>();
  const follow = (steps: readonly Block[], before: Names): Names => {
    let set = before;
    for (const block of steps) {
      if (block.disabled === true) continue;
      const missing = (readsOf.get(block) ?? []).filter((name) => !set.has(name));
      if (missing.length > 0) found.set(block, [...new Set(missing)]);
      set = through(block, set);
    }
    return set;
  };
  const through = (block: Block, set: Names): Names => {
    const after = new Set(set);
    const variable = variableSetBy(block);
    if (block.kind === "call") for (const name of subflows.get(block.subflow) ?? []) after.add(name);
    const ends = sectionsOf(block).map((section) => ({ section, end: follow(section.steps, after) }));
    for (const name of certain(
      block,
      ends.map(({ section, end }) => ({ path: section.path, end })),
    ))
      after.add(name);
    if (variable !== null) after.add(variable);
    return after;
  };
  // A caller may have set any variable, so a subflow's read counts only if no block ever sets the variable.
  for (const [name, { steps }] of Object.entries(facts.document.subflows ?? {})) {
    const own = follow(steps, new Set());
    for (const block of blocksOf(steps)) found.delete(block);
    subflows.set(name, own);
  }
  follow(facts.document.steps, new Set());
  for (const { block } of facts.blocks) {
    const never = (readsOf.get(block) ?? []).filter((name) => !facts.variables.has(name));
    if (never.length > 0) found.set(block, [...new Set([...(found.get(block) ?? []), ...never])]);
  }
  return found;
}

/** What is set after a block, whichever of its sections ran. */
function certain(block: Block, ends: { path: string; end: Names }[]): Names {
  const [first, ...others] = ends;
  if (first === undefined) return new Set();
  const inAll = () => new Set([...first.end].filter((name) => others.every(({ end }) => end.has(name))));
  switch (block.kind) {
    case "if":
      return block.else === undefined ? new Set() : inAll();
    case "iframe":
    case "waitPopup":
    case "download":
      return new Set(ends.flatMap(({ end }) => [...end]));
    case "try": {
      const last = ends.find(({ path }) => path === "finally");
      const either = block.catch === undefined ? new Set<string>() : inAll();
      return new Set([...either, ...(last?.end ?? [])]);
    }
    default:
      return new Set();
  }
}

function* blocksOf(steps: readonly Block[]): Generator<Block> {
  for (const block of steps) {
    yield block;
    for (const section of sectionsOf(block)) yield* blocksOf(section.steps);
  }
}

/** Variables that a block's templates need; those with a default filter do not count. */
function variableReads(facts: Facts): Map<Block, string[]> {
  const reads = new Map<Block, string[]>();
  for (const { block, locals } of facts.blocks) {
    const names: string[] = [];
    for (const mark of facts.marks.get(block) ?? [])
      for (const part of facts.templates.get(mark.text) ?? []) {
        if (typeof part === "string" || part.filters[0]?.name === "default") continue;
        const reference = referenceOf(part, locals, facts);
        const [name] = reference.path;
        if (reference.root === "vars" && name !== undefined) names.push(String(name));
      }
    if (names.length > 0) reads.set(block, names);
  }
  return reads;
}
