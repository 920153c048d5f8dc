/** Rules about single blocks and their targets that a JSON Schema cannot express. */
import type { Condition } from "../../protocol/dsl/condition.ts";
import type { DslDocument } from "../../protocol/dsl/document.ts";
import type { Block } from "../../protocol/dsl/flow-blocks.ts";
import type { Address, Target } from "../../protocol/dsl/target.ts";
import type { Local } from "./sections.ts";

type Say = (pointer: string, message: string) => void;

export function checkBlock(
  block: Block,
  pointer: string,
  locals: readonly Local[],
  document: DslDocument,
  say: Say,
): void {
  for (const { target, at } of targetsOf(block, pointer)) checkTarget(target, at, locals, say);
  switch (block.kind) {
    case "scroll":
      if (block.by !== undefined && block.to !== undefined) say(pointer, 'takes "by" or "to", not both');
      if (block.by === undefined && block.to === undefined && block.target === undefined)
        say(pointer, 'needs "by", "to" or "target"');
      return;
    case "select":
      exactlyOne(block, ["value", "text", "index"], pointer, say);
      return;
    case "switchTab":
      exactlyOne(block, ["index", "url", "title"], pointer, say);
      return;
    case "evaluate":
      if (block.expression !== undefined && block.args !== undefined)
        say(`${pointer}/args`, 'are for "function"; an expression takes none');
      exactlyOne(block, ["expression", "function"], pointer, say);
      return;
    case "waitElement":
      if (block.state !== undefined && block.count !== undefined)
        say(pointer, 'takes "state" or "count", not both');
      return;
    case "randomDelay":
      if (block.minMs > block.maxMs)
        say(pointer, `minMs must not be more than maxMs, got ${block.minMs} and ${block.maxMs}`);
      return;
    case "screenshot":
      if (/[\\/]/.test(block.path.replaceAll(/\{\{.*?\}\}/g, "")))
        say(`${pointer}/path`, "must be a file name without directories");
      if (block.fullPage === true && block.target !== undefined)
        say(pointer, 'takes "fullPage" or "target", not both');
      return;
    case "output":
      checkColumns(Object.keys(block.values), document, pointer, say);
      return;
    case "call":
      checkCall(block.subflow, Object.keys(block.args ?? {}), document, pointer, say);
      return;
    case "if":
      if (block.then.length === 0 && block.else === undefined && block.elseIf === undefined)
        say(`${pointer}/then`, "must not be empty when there is no other branch");
      return;
    default:
  }
}

function exactlyOne(block: object, keys: string[], pointer: string, say: Say): void {
  const given = keys.filter((key) => Object.hasOwn(block, key));
  if (given.length !== 1)
    say(
      pointer,
      `needs exactly one of ${keys.join(", ")}, got ${given.length === 0 ? "none" : given.join(", ")}`,
    );
}

function checkColumns(columns: string[], { outputs = [] }: DslDocument, pointer: string, say: Say): void {
  for (const column of columns)
    if (outputs.length > 0 && !outputs.some(({ name }) => name === column))
      say(
        `${pointer}/values/${column}`,
        `column "${column}" is not declared in outputs, which has ${outputs.map(({ name }) => name).join(", ")}`,
      );
}

function checkCall(name: string, args: string[], { subflows = {} }: DslDocument, pointer: string, say: Say) {
  const subflow = Object.hasOwn(subflows, name) ? subflows[name] : undefined;
  if (subflow === undefined) {
    const known = Object.keys(subflows);
    say(
      `${pointer}/subflow`,
      `there is no subflow "${name}"; ${known.length === 0 ? "the document has none" : `known are ${known.join(", ")}`}`,
    );
    return;
  }
  const { params = [] } = subflow;
  for (const param of params)
    if (!args.includes(param)) say(`${pointer}/args`, `the parameter "${param}" of "${name}" is missing`);
  for (const arg of args)
    if (!params.includes(arg)) say(`${pointer}/args/${arg}`, `"${name}" has no parameter "${arg}"`);
}

export function targetsOf(block: Block, pointer: string): { target: Target; at: string }[] {
  const found: { target: Target; at: string }[] = [];
  if ("target" in block && block.target !== undefined)
    found.push({ target: block.target, at: `${pointer}/target` });
  if (block.kind === "iframe") found.push({ target: block.frame, at: `${pointer}/frame` });
  if ("when" in block) collect(block.when, `${pointer}/when`, found);
  if (block.kind === "if")
    for (const [index, { when }] of (block.elseIf ?? []).entries())
      collect(when, `${pointer}/elseIf/${index}/when`, found);
  return found;
}

function collect(condition: Condition, at: string, found: { target: Target; at: string }[]): void {
  if (condition.op === "and" || condition.op === "or")
    for (const [index, one] of condition.of.entries()) collect(one, `${at}/of/${index}`, found);
  else if (condition.op === "not") collect(condition.of, `${at}/of`, found);
  else if ("target" in condition) found.push({ target: condition.target, at: `${at}/target` });
}

function checkTarget(target: Target, at: string, locals: readonly Local[], say: Say): void {
  if ("ref" in target) {
    checkReference(target.ref, at, locals, say);
    return;
  }
  checkAddress(target, at, say);
  if (target.strict === true && target.nth !== undefined) say(at, 'takes "strict" or "nth", not both');
  if (target.strict === true && target.or !== undefined) say(at, 'takes "strict" or "or", not both');
  if (target.within !== undefined) {
    if ("ref" in target.within) checkReference(target.within.ref, `${at}/within`, locals, say);
    else checkAddress(target.within, `${at}/within`, say);
    if (target.frame !== undefined && "ref" in target.within)
      say(at, 'takes "frame" or an element of a loop in "within", not both');
  }
  for (const [index, frame] of (target.frame ?? []).entries())
    checkAddress(frame, `${at}/frame/${index}`, say);
  for (const [index, other] of (target.or ?? []).entries()) checkAddress(other, `${at}/or/${index}`, say);
}

function checkReference(name: string, at: string, locals: readonly Local[], say: Say): void {
  const local = locals.findLast((one) => one.name === name);
  if (local?.type !== "element") say(`${at}/ref`, `"${name}" is not the element of an enclosing forElement`);
}

/** Playwright and Puppeteer extend CSS differently, so only plain CSS finds the same elements in both. */
function checkAddress(address: Address, at: string, say: Say): void {
  if (address.by !== "css") return;
  const bare = address.value
    .replaceAll(/\{\{.*?\}\}/g, "x")
    .replaceAll(/"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'/g, "");
  if (
    />>|::-p-|:has-text\(|:text\(|:text-|:visible|:nth-match\(|:right-of\(|:left-of\(|:above\(|:below\(|:near\(/.test(
      bare,
    )
  )
    say(`${at}/value`, "must be plain CSS, without extensions of Playwright or Puppeteer");
  else if (/^\s*(\/|\(\s*\/|\.\.)|["']/.test(bare) || /^[A-Za-z_0-9-]+[=/]/.test(bare) || !balanced(bare))
    say(`${at}/value`, `is not a CSS selector, got ${JSON.stringify(address.value.slice(0, 80))}`);
}

function balanced(text: string): boolean {
  const open: string[] = [];
  for (const letter of text) {
    if (letter === "(" || letter === "[") open.push(letter);
    if (letter === ")" && open.pop() !== "(") return false;
    if (letter === "]" && open.pop() !== "[") return false;
  }
  return open.length === 0;
}
