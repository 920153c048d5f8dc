/** Refusals, with JSON pointer, block and remedy. */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { compileDsl } from "../../../actors/dsl/compile.ts";
import { definitions, resolved } from "../../../actors/dsl/schema.ts";
import { Fault } from "../../../protocol/faults.ts";

const css = { by: "css", value: "#a" };
const steps = (...blocks: object[]) => ({ dslVersion: "1.0", steps: blocks });
const click = (target: object) => steps({ id: "n4", kind: "click", target });

function refusal(document: unknown): string {
  try {
    compileDsl(document, "playwright");
  } catch (error) {
    if (error instanceof Fault && error.kind === "invalid") return error.message;
    throw error;
  }
  return "";
}

const kinds = definitions.Block?.oneOf?.flatMap((one) => {
  const kind = resolved(one).properties?.kind;
  return kind?.enum ?? [kind?.const];
});

const refused: readonly [string, unknown, string][] = [
  [
    "no target",
    steps({ id: "n4", kind: "click" }),
    '/steps/0: node "n4" (click): required property "target" is missing',
  ],
  [
    "a target without by",
    click({ value: "x" }),
    '/steps/0/target: node "n4" (click): required property "by" is missing',
  ],
  [
    "an unknown by",
    click({ by: "id", value: "x" }),
    '/steps/0/target/by: node "n4" (click): must be one of "css", "label", "placeholder", "role", "testId", "text", "xpath", got "id"',
  ],
  [
    "a number instead of a text",
    click({ by: "css", value: 5 }),
    '/steps/0/target/value: node "n4" (click): must be a text, got 5',
  ],
  [
    "an empty selector",
    click({ by: "css", value: "" }),
    '/steps/0/target/value: node "n4" (click): must not be empty',
  ],
  [
    "an unknown kind",
    steps({ id: "x", kind: "clik" }),
    `/steps/0/kind: node "x" (clik): must be one of ${kinds
      ?.sort()
      .map((kind) => JSON.stringify(kind))
      .join(", ")}, got "clik"`,
  ],
  ["no kind", steps({ id: "x" }), '/steps/0: required property "kind" is missing'],
  ["no id", steps({ kind: "back" }), '/steps/0: required property "id" is missing'],
  [
    "an id with a space",
    steps({ id: "a b", kind: "back" }),
    '/steps/0/id: node "a b" (back): must match ^[A-Za-z][A-Za-z0-9_-]{0,63}$, got "a b"',
  ],
  [
    "an unknown key",
    steps({ id: "x", kind: "back", colour: 1 }),
    '/steps/0: node "x" (back): unknown property "colour"; known are kind, id, v, label, note, disabled, timeoutMs, onError',
  ],
  [
    "a negative nth",
    click({ ...css, nth: -1 }),
    '/steps/0/target/nth: node "n4" (click): must be an integer from 0 to 9999, got -1',
  ],
  [
    "a count of 3",
    steps({ id: "n4", kind: "click", target: css, count: 3 }),
    '/steps/0/count: node "n4" (click): must be one of 1, 2, got 3',
  ],
  ["no steps", { dslVersion: "1.0" }, 'the document: required property "steps" is missing'],
  ["steps that are not a list", { dslVersion: "1.0", steps: {} }, "/steps: must be an array, got {}"],
  [
    "another major version",
    { dslVersion: "2.0", steps: [] },
    '/dslVersion: must match ^1\\.[0-9]{1,3}$, got "2.0"',
  ],
  [
    "a repeated id",
    steps({ id: "a", kind: "back" }, { id: "a", kind: "back" }),
    '/steps/1/id: node "a" (back): the id is already used by /steps/0; ids are unique in the document',
  ],
  [
    "a break outside of a loop",
    steps({ id: "a", kind: "break" }),
    '/steps/0: node "a" (break): "break" is not inside a loop',
  ],
  [
    "a missing subflow",
    steps({ id: "a", kind: "call", subflow: "s" }),
    '/steps/0/subflow: node "a" (call): there is no subflow "s"; the document has none',
  ],
  [
    "a cycle of subflows",
    {
      ...steps(),
      subflows: {
        s: { steps: [{ id: "a", kind: "call", subflow: "t" }] },
        t: { steps: [{ id: "b", kind: "call", subflow: "s" }] },
      },
    },
    '/subflows/t/steps/0: node "b" (call): subflows call each other in a cycle: s → t → s',
  ],
  [
    "a missing argument",
    { ...steps({ id: "a", kind: "call", subflow: "s" }), subflows: { s: { params: ["who"], steps: [] } } },
    '/steps/0/args: node "a" (call): the parameter "who" of "s" is missing',
  ],
  [
    "an invalid regular expression",
    steps({ id: "a", kind: "waitUrl", matches: "(" }),
    '/steps/0/matches: node "a" (waitUrl): Invalid regular expression: /(/: Unterminated group',
  ],
  [
    "an unclosed template",
    steps({ id: "a", kind: "log", message: "{{ vars.x" }),
    '/steps/0/message: node "a" (log): "{{" is not closed; write "}}" after it, or "\\{{" for a plain "{{"',
  ],
  [
    "an unknown filter",
    steps({ id: "a", kind: "log", message: "{{ vars.x | loud }}" }),
    '/steps/0/message: node "a" (log): there is no filter "loud"; known are trim, lower, upper, slice, replace, split, join, number, int, json, default, urlencode, length, first, last, random, date',
  ],
  [
    "a filter without its argument",
    steps({ id: "a", kind: "log", message: "{{ vars.x | split }}" }),
    '/steps/0/message: node "a" (log): the filter "split" takes 1 arguments, got 0',
  ],
  [
    "an undeclared column",
    {
      ...steps({ id: "a", kind: "log", message: "{{ row.phone }}" }),
      inputs: { columns: [{ name: "email" }] },
    },
    '/steps/0/message: node "a" (log): column "phone" is not declared in inputs.columns, which has email',
  ],
  [
    "an undeclared output",
    { ...steps({ id: "a", kind: "output", values: { b: 1 } }), outputs: [{ name: "c" }] },
    '/steps/0/values/b: node "a" (output): column "b" is not declared in outputs, which has c',
  ],
  [
    "an unknown field of the profile",
    steps({ id: "a", kind: "log", message: "{{ profile.email }}" }),
    '/steps/0/message: node "a" (log): "profile" has "id" and "name"',
  ],
  [
    "an unknown field of the run",
    steps({ id: "a", kind: "log", message: "{{ run.name }}" }),
    '/steps/0/message: node "a" (log): "run" has only "id"',
  ],
  [
    "a name of the prototype",
    steps({ id: "a", kind: "log", message: "{{ vars.constructor }}" }),
    '/steps/0/message: node "a" (log): "constructor" cannot be a name in "{{ vars.constructor }}"',
  ],
  [
    "a reference to an element outside of a loop",
    click({ ...css, within: { ref: "item" } }),
    '/steps/0/target/within/ref: node "n4" (click): "item" is not the element of an enclosing forElement',
  ],
  [
    "a shadowed name",
    steps({
      id: "a",
      kind: "forCount",
      times: 1,
      as: "i",
      steps: [{ id: "b", kind: "forCount", times: 1, as: "i", steps: [] }],
    }),
    '/steps/0/steps/0/as: node "b" (forCount): "i" is already the name of an enclosing loop or parameter',
  ],
  [
    "CSS of one library only",
    click({ by: "css", value: "a:has-text('x')" }),
    '/steps/0/target/value: node "n4" (click): must be plain CSS, without extensions of Playwright or Puppeteer',
  ],
  [
    "XPath as CSS",
    click({ by: "css", value: "//a" }),
    '/steps/0/target/value: node "n4" (click): is not a CSS selector, got "//a"',
  ],
  [
    "two options of a select",
    steps({ id: "a", kind: "select", target: css, value: "x", index: 1 }),
    '/steps/0: node "a" (select): needs exactly one of value, text, index, got value, index',
  ],
  [
    "a path with directories",
    steps({ id: "a", kind: "screenshot", path: "../a.png" }),
    '/steps/0/path: node "a" (screenshot): must be a file name without directories',
  ],
  [
    "an unknown recorded step",
    { title: "t", steps: [{ type: "zap" }] },
    '/steps/0/type: there is no recorded step "zap"; known are change, click, close, customStep, doubleClick, emulateNetworkConditions, hover, keyDown, keyUp, navigate, scroll, setViewport, waitForElement, waitForExpression',
  ],
  [
    "a recorded step without its address",
    { title: "t", steps: [{ type: "navigate" }] },
    '/steps/0/url: a recorded "navigate" needs a text here, got nothing',
  ],
];

describe("a document is refused for", () => {
  for (const [name, document, message] of refused) test(name, () => assert.equal(refusal(document), message));

  test("several problems at once, one line each, at most 20", () => {
    const lines = refusal(
      steps(...Array.from({ length: 30 }, (_, at) => ({ id: `a${at}`, kind: "click" }))),
    ).split("\n");
    assert.equal(lines.length, 20);
    assert.equal(lines[19], '/steps/19: node "a19" (click): required property "target" is missing');
  });

  test("more than 16 levels, and more than 2000 blocks", () => {
    let inner: object[] = [];
    for (let at = 0; at < 17; at += 1) inner = [{ id: `d${at}`, kind: "forCount", times: 1, steps: inner }];
    assert.match(refusal(steps(...inner)), /nested 17 deep, at most 16/);
    const many = (name: string) =>
      Array.from({ length: 1_000 }, (_, at) => ({ id: `${name}${at}`, kind: "back" }));
    const subflows = { a: { steps: many("a") }, b: { steps: many("b") } };
    assert.match(refusal({ ...steps({ id: "c", kind: "back" }), subflows }), /has 2001 blocks, at most 2000/);
  });

  test("more than 1 MiB, and conditions that are nested too deep", () => {
    const texts = Array.from({ length: 20 }, (_, at) => ({
      id: `a${at}`,
      kind: "comment",
      text: "x",
      note: "y".repeat(2_000),
    }));
    assert.equal(refusal(steps(...texts)), "");
    const large = Array.from({ length: 900 }, (_, at) => ({
      id: `a${at}`,
      kind: "back",
      note: "y".repeat(1_500),
    }));
    assert.match(refusal(steps(...large)), /^the document has \d+ bytes, at most 1048576$/);
    let when: object = { op: "url", matches: "a" };
    for (let at = 0; at < 3_000; at += 1) when = { op: "not", of: when };
    assert.match(refusal(steps({ id: "a", kind: "assert", when })), /is nested more than 200 deep$/);
  });
});
