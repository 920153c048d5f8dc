/** Compiler warnings (actors/dsl/README.md, "Warnings"): one line each, `node n7 [code] text`, in document order. */
import type { Block } from "../../protocol/dsl/flow-blocks.ts";
import type { ScriptLibrary } from "../../protocol/scalars.ts";
import { targetsOf } from "./check-block.ts";
import type { Facts, PlacedBlock } from "./check-meaning.ts";
import { roundsMaxDefault } from "./emit/flow.ts";
import { referenceOf } from "./names.ts";
import { sectionsOf, variableSetBy } from "./sections.ts";
import { unsetReads } from "./unset-reads.ts";

type Warn = (code: string, text: string) => void;

export function warningsOf(facts: Facts, target: ScriptLibrary): string[] {
  const warnings: string[] = [];
  const unset = unsetReads(facts);
  const read = namesRead(facts);
  for (const placed of facts.blocks) {
    const { block } = placed;
    const warn: Warn = (code, text) => warnings.push(`node ${block.id} [${code}] ${text}`);
    aboutBlock(block, target, warn);
    aboutText(block, facts, warn);
    aboutElements(placed, warn);
    const variable = variableSetBy(block);
    if (variable !== null && !read.has(variable) && firstSetBy(facts, variable) === block)
      warn("unused-variable", `nothing reads "${variable}"`);
    for (const name of unset.get(block) ?? [])
      warn("unset-variable", `"${name}" may have no value here; set it first, or give it a default`);
    for (const name of undeclared(placed, facts))
      warn(
        "undeclared-input",
        `"${name}" is not among inputs.variables; the run fails here when it is not given`,
      );
    for (const name of facts.columns === null ? columnsRead(placed, facts) : [])
      warn(
        "undeclared-column",
        `"${name}" is not among inputs.columns; the run fails here when the dataset has no such column`,
      );
    if (block.disabled === true) warn("disabled-node", "it is omitted from the code");
  }
  for (const dead of unreachable(facts)) warnings.push(`node ${dead.id} [unreachable] no step leads here`);
  const ids = new Set(facts.blocks.map(({ block }) => block.id));
  for (const id of Object.keys(facts.document.layout?.nodes ?? {}))
    if (!ids.has(id))
      warnings.push(`document [unknown-layout] layout.nodes has "${id}", which is not a block`);
  return warnings;
}

function firstSetBy(facts: Facts, name: string): Block | undefined {
  return facts.blocks.find(({ block }) => variableSetBy(block) === name)?.block;
}

/** Variables that a template reads. Reading `vars` as a whole reads all. */
function namesRead(facts: Facts): Set<string> {
  const names = new Set<string>();
  for (const { block, locals } of facts.blocks) {
    if (block.kind === "increment") names.add(block.name);
    for (const mark of facts.marks.get(block) ?? []) {
      for (const part of facts.templates.get(mark.text) ?? []) {
        if (typeof part === "string") continue;
        const reference = referenceOf(part, locals, facts);
        if (reference.root !== "vars") continue;
        const [name] = reference.path;
        if (name === undefined) for (const all of facts.variables) names.add(all);
        else names.add(String(name));
      }
    }
  }
  return names;
}

function columnsRead({ block, locals }: PlacedBlock, facts: Facts): string[] {
  const names = (facts.marks.get(block) ?? []).flatMap((mark) =>
    (facts.templates.get(mark.text) ?? []).flatMap((part) => {
      if (typeof part === "string" || part.filters[0]?.name === "default") return [];
      const { root, path, ...rest } = referenceOf(part, locals, facts);
      const isRow = root === "row" || ("local" in rest && rest.local.type === "row");
      const column = isRow ? path[0] : root === "rows" ? path[1] : undefined;
      return column === undefined ? [] : [String(column)];
    }),
  );
  return [...new Set(names)];
}

function undeclared({ block, locals }: PlacedBlock, facts: Facts): string[] {
  const names = (facts.marks.get(block) ?? []).flatMap((mark) =>
    (facts.templates.get(mark.text) ?? []).flatMap((part) => {
      if (typeof part === "string" || part.filters[0]?.name === "default") return [];
      const reference = referenceOf(part, locals, facts);
      return reference.root === "input" && !reference.declared && reference.path[0] !== undefined
        ? [String(reference.path[0])]
        : [];
    }),
  );
  return [...new Set(names)];
}

function unreachable(facts: Facts): Block[] {
  const found: Block[] = [];
  const look = (steps: readonly Block[]) => {
    const end = steps.findIndex(
      ({ kind, disabled }) =>
        disabled !== true && (kind === "stop" || kind === "break" || kind === "continue"),
    );
    const after = end < 0 ? undefined : steps.slice(end + 1).find(({ kind }) => kind !== "comment");
    if (after !== undefined) found.push(after);
    for (const block of steps) for (const section of sectionsOf(block)) look(section.steps);
  };
  look(facts.document.steps);
  for (const { steps } of Object.values(facts.document.subflows ?? {})) look(steps);
  return found;
}

const resizes = /\bresize(To|By)\s*\(/;
const loopback = /^https?:\/\/(localhost|127\.|\[::1\]|0\.0\.0\.0)/i;

function aboutBlock(block: Block, target: ScriptLibrary, warn: Warn): void {
  if (block.timeoutMs === 0) warn("no-timeout", "timeoutMs 0 waits forever");
  for (const section of sectionsOf(block))
    if (section.steps.length === 0) warn("empty-branch", `"${section.path}" has no steps`);
  switch (block.kind) {
    case "wait":
      if (block.ms > 5_000)
        warn("fixed-wait", `${block.ms} ms in any case; waitElement continues as soon as it can`);
      return;
    case "while":
      if (block.limit === undefined)
        warn("unbounded-loop", `no limit; it fails after ${roundsMaxDefault} rounds`);
      return;
    case "evaluate":
    case "waitFunction":
      warn("page-js", "this JavaScript is passed to the page unchecked");
      if (resizes.test(`${block.expression} ${"function" in block ? block.function : ""}`))
        warn("resizes-window", "the window's size is one of the profile's own values; leave it as it is");
      return;
    case "httpRequest":
      warn("cross-origin-fetch", "the request is sent by the page and subject to its CORS rules");
      return;
    case "download":
      if (target === "puppeteer" && block.saveAs !== undefined)
        warn(
          "target-gap",
          "Puppeteer keeps the file under the name that the site suggests; saveAs has no effect",
        );
      return;
    case "waitNetworkIdle":
      if (target === "playwright" && block.idleMs !== undefined && block.idleMs !== 500)
        warn("target-gap", "Playwright always waits for 500 ms without requests; idleMs has no effect");
      return;
    case "navigate":
    case "newTab":
      if (loopback.test(block.url ?? ""))
        warn("loopback-url", "the address is on this machine; a script that is not approved cannot open it");
      return;
    default:
  }
}

const secretFields = /password|passwd|passcode|secret|token|api.?key/i;
const secretShapes = /\b(sk|pk|ghp|gho|xox[abp])[-_][A-Za-z0-9]{16,}|\beyJ[A-Za-z0-9_-]{20,}\./;

function aboutText(block: Block, facts: Facts, warn: Warn): void {
  const advice = "it looks like a secret; put it into a variable of the profile and write {{ input.name }}";
  const texts = (facts.marks.get(block) ?? []).map(({ text }) => text);
  if (typesSecret(block, facts) || texts.some((text) => secretShapes.test(text)))
    warn("secret-in-text", advice);
}

function typesSecret(block: Block, facts: Facts): boolean {
  if (block.kind !== "type" || block.text === "") return false;
  const constant = (facts.templates.get(block.text) ?? []).every((part) => typeof part === "string");
  return constant && secretFields.test(JSON.stringify(block.target));
}

function aboutElements({ block, pointer }: PlacedBlock, warn: Warn): void {
  const brittle = targetsOf(block, pointer).some(({ target }) => {
    if ("ref" in target) return false;
    const all = [target, ...(target.or ?? []), ...(target.frame ?? [])];
    // Warn only if every alternative is brittle.
    return all.every((address) =>
      address.by === "xpath"
        ? /^\/(html|body|\*\[1\])/i.test(address.value)
        : address.by === "css" && isBrittleCss(address.value),
    );
  });
  if (brittle)
    warn(
      "brittle-selector",
      "it breaks when the page's structure changes; prefer role, label, text or testId",
    );
}

function isBrittleCss(selector: string): boolean {
  const positions = selector.match(/:nth-(child|of-type)\(/g)?.length ?? 0;
  const hashed = /\.[A-Za-z]+[-_]{1,2}(?=[A-Za-z0-9]*\d)[A-Za-z0-9]{5,}\b|\.css-[a-z0-9]{5,}/.test(selector);
  return positions > 3 || hashed;
}
