/** Warnings, each with a document that causes it and one that does not. */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { compileDsl } from "../../../actors/dsl/compile.ts";
import type { ScriptLibrary } from "../../../protocol/scalars.ts";

const css = { by: "css", value: "#a" };
const steps = (...blocks: object[]) => ({ dslVersion: "1.0", steps: blocks });

const warned: readonly [ScriptLibrary, object, RegExp][] = [
  ["playwright", { kind: "setVariable", name: "x", value: 1 }, /\[unused-variable\] nothing reads "x"/],
  ["playwright", { kind: "log", message: "{{ vars.y }}" }, /\[unset-variable\] "y" may have no value here/],
  ["playwright", { kind: "log", message: "{{ input.z }}" }, /\[undeclared-input\] "z"/],
  ["playwright", { kind: "log", message: "{{ row.email }}" }, /\[undeclared-column\] "email"/],
  ["playwright", { kind: "log", message: "{{ rows[0].email }}" }, /\[undeclared-column\] "email"/],
  ["playwright", { kind: "back", disabled: true }, /\[disabled-node\]/],
  ["playwright", { kind: "forCount", times: 1, steps: [] }, /\[empty-branch\] "steps" has no steps/],
  ["playwright", { kind: "click", target: { by: "xpath", value: "/html/body/div" } }, /\[brittle-selector\]/],
  ["playwright", { kind: "click", target: { by: "css", value: ".css-1x2y3z" } }, /\[brittle-selector\]/],
  ["playwright", { kind: "click", target: css, timeoutMs: 0 }, /\[no-timeout\]/],
  ["playwright", { kind: "wait", ms: 6_000 }, /\[fixed-wait\] 6000 ms/],
  [
    "playwright",
    { kind: "while", when: { op: "exists", target: css }, steps: [{ id: "b", kind: "back" }] },
    /\[unbounded-loop\] .* 10000 rounds/,
  ],
  ["playwright", { kind: "evaluate", expression: "1" }, /\[page-js\]/],
  ["playwright", { kind: "httpRequest", url: "/" }, /\[cross-origin-fetch\]/],
  [
    "puppeteer",
    { kind: "download", trigger: [{ id: "b", kind: "back" }], saveAs: "x" },
    /\[target-gap\] Puppeteer/,
  ],
  ["playwright", { kind: "waitNetworkIdle", idleMs: 900 }, /\[target-gap\] Playwright/],
  [
    "playwright",
    { kind: "type", target: { by: "label", value: "Password" }, text: "hunter2" },
    /\[secret-in-text\]/,
  ],
  ["playwright", { kind: "navigate", url: "http://127.0.0.1:1/" }, /\[loopback-url\]/],
  ["playwright", { kind: "newTab", url: "http://localhost:1/" }, /\[loopback-url\]/],
  ["playwright", { kind: "evaluate", expression: "window.resizeTo(9, 9)" }, /\[resizes-window\]/],
  ["puppeteer", { kind: "evaluate", function: "() => resizeBy(9, 9)" }, /\[resizes-window\]/],
  ["puppeteer", { kind: "waitFunction", expression: "self.resizeTo (9, 9)" }, /\[resizes-window\]/],
];

describe("a warning is given for", () => {
  for (const [library, block, pattern] of warned)
    test(String(pattern), () => {
      const { warnings } = compileDsl(steps({ id: "a", ...block }), library);
      assert.ok(
        warnings.some((line) => line.startsWith("node a [") && pattern.test(line)),
        warnings.join("\n"),
      );
      const other = compileDsl(steps({ id: "a", kind: "back" }), library);
      assert.deepEqual(other.warnings, []);
    });

  test("an unreachable step", () => {
    const { warnings } = compileDsl(
      steps({ id: "a", kind: "stop", status: "completed" }, { id: "b", kind: "back" }),
      "playwright",
    );
    assert.deepEqual(warnings, ["node b [unreachable] no step leads here"]);
  });

  test("a variable that is set in one branch only", () => {
    const set = (id: string) => [{ id, kind: "setVariable", name: "x", value: 1 }];
    const read = { id: "r", kind: "log", message: "{{ x }}" };
    const branch = { id: "i", kind: "if", when: { op: "url", matches: "a" } };
    const key = "then";
    const one = compileDsl(steps({ ...branch, [key]: set("a") }, read), "playwright").warnings;
    const both = compileDsl(
      steps({ ...branch, [key]: set("a"), else: set("b") }, read),
      "playwright",
    ).warnings;
    assert.deepEqual([one.length, both.length], [1, 0]);
    assert.match(one[0] ?? "", /^node r \[unset-variable\] "x"/);
  });

  test("a later minor version, whose unknown keys are ignored", () => {
    const document = { dslVersion: "1.7", steps: [{ id: "a", kind: "back", sparkle: 1 }], weather: {} };
    assert.deepEqual(compileDsl(document, "puppeteer").warnings, [
      'document [newer-minor] its version is "1.7", this compiler supports 1.0; ignored: /steps/0/sparkle, /weather',
    ]);
  });
});
