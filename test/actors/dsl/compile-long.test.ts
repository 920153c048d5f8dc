/** The compiler with many random documents, their types, and its processor time. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { checkContract } from "../../../actors/contract/check.ts";
import { compileDsl } from "../../../actors/dsl/compile.ts";
import { documentExample } from "../../../actors/dsl/examples.ts";
import type { Block } from "../../../protocol/dsl/flow-blocks.ts";
import { cases, documentOf } from "./cases.ts";
import { libraries } from "./golden.ts";
import { randomDocument } from "./random-document.ts";
import { typeErrors } from "./typings.ts";

test("code of 1,000 random documents parses, fulfils the contract, and is the same each time", () => {
  let bytes = 0;
  for (let seed = 1; seed <= 1_000; seed += 1) {
    const document = randomDocument(seed);
    const library = seed % 2 === 0 ? "playwright" : "puppeteer";
    const { code } = compileDsl(document, library);
    assert.deepEqual(checkContract(code), { violations: [], library }, `seed ${seed}\n${code}`);
    if (seed % 100 === 0) assert.equal(compileDsl(randomDocument(seed), library).code, code);
    bytes += code.length;
  }
  assert.ok(bytes > 2_000_000, `the documents are too short to be meaningful: ${bytes} bytes`);
});

test("all code type-checks against the libraries' own typings", () => {
  const scripts = new Map<string, string>();
  for (const library of libraries) {
    const add = (document: unknown) =>
      scripts.set(`${library}-${scripts.size + 1}`, compileDsl(document, library).code);
    for (const document of cases.values()) add(document);
    add(documentExample);
    for (let seed = 1; seed <= 8; seed += 1) add(randomDocument(seed));
  }
  // All in one program, so that typings are read once.
  scripts.set("damaged", compileDsl(documentExample, "puppeteer").code.replace("waitForSelector", "waitFor"));
  const errors = typeErrors(scripts);
  const isDamage = (error: string) => error.startsWith("damaged.mts:");
  assert.deepEqual(
    errors.filter((error) => !isDamage(error)),
    [],
  );
  assert.equal(errors.filter(isDamage).length, 1);
});

test("a document of 200 blocks compiles within 10 ms of processor time", (t) => {
  const all = [...cases.entries()]
    .filter(([name]) => name.startsWith("flow"))
    .flatMap(([, { steps }]) => steps);
  const flat: Block[] = [];
  for (let at = 0; flat.length < 200; at += 1) {
    const block = all[at % all.length];
    if (
      block !== undefined &&
      !("steps" in block) &&
      !["break", "continue", "stop", "try", "call", "if", "waitPopup", "download"].includes(block.kind)
    )
      flat.push({ ...block, id: `b${at}` });
  }
  const document = documentOf(flat, { inputs: {} });
  const copy = JSON.parse(
    JSON.stringify(document)
      .replaceAll(/"\{\{[^"]*\}\}"/g, '"{{ vars.seen | default:x }}"')
      .replaceAll("{{ input.site }}", ""),
  ) as object;
  const times: number[] = [];
  for (let round = 0; round < 60; round += 1) {
    const before = process.cpuUsage();
    const { nodeCount } = compileDsl(copy, round % 2 === 0 ? "playwright" : "puppeteer");
    const { user, system } = process.cpuUsage(before);
    times.push((user + system) / 1_000);
    assert.equal(nodeCount, 200);
  }
  const warm = times.slice(20).sort((a, b) => a - b);
  const middle = warm[20] ?? Number.NaN;
  t.diagnostic(`200 blocks, warm: least ${warm[0]?.toFixed(2)} ms, median ${middle.toFixed(2)} ms of 40`);
  assert.ok(middle < 15, `${middle} ms`);
});
