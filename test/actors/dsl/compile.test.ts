/** Compiled code, byte for byte and against the Raw contract. */
// biome-ignore-all lint/suspicious/noTemplateCurlyInString: text that must not become code
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { checkContract } from "../../../actors/contract/check.ts";
import { compileDsl } from "../../../actors/dsl/compile.ts";
import { definitions, resolved } from "../../../actors/dsl/schema.ts";
import type { Block } from "../../../protocol/dsl/flow-blocks.ts";
import { cases, documentOf } from "./cases.ts";
import { compiledSections, goldenSections, libraries } from "./golden.ts";
import { randomDocument } from "./random-document.ts";

const kinds = (definitions.Block?.oneOf ?? []).flatMap((one) => {
  const kind = resolved(one).properties?.kind;
  return kind?.enum ?? [kind?.const];
});

test("there is a case for every kind of block", () => {
  const covered = new Set(
    [...cases.values()].flatMap((document) => JSON.stringify(document).match(/"kind":"\w+"/g)),
  );
  assert.deepEqual(
    kinds.filter((kind) => !covered.has(`"kind":"${kind}"`)),
    [],
  );
  assert.ok(kinds.length >= 50);
});

for (const library of libraries) {
  describe(`code for ${library}`, () => {
    test("matches the golden file, case by case", () => {
      const golden = goldenSections(library);
      const compiled = compiledSections(library);
      for (const [name, code] of compiled) assert.equal(code, golden.get(name), name);
      assert.deepEqual([...golden.keys()], [...compiled.keys()]);
    });

    test("fulfils the Raw contract and names its library, in every case", () => {
      for (const [name, document] of cases) {
        const answer = checkContract(compileDsl(document, library).code);
        assert.deepEqual(answer, { violations: [], library }, name);
      }
    });
  });
}

test("code of 100 random documents parses, fulfils the contract, and is the same each time", () => {
  let bytes = 0;
  for (let seed = 1; seed <= 100; seed += 1) {
    const document = randomDocument(seed);
    const library = seed % 2 === 0 ? "playwright" : "puppeteer";
    const { code } = compileDsl(document, library);
    assert.deepEqual(checkContract(code), { violations: [], library }, `seed ${seed}\n${code}`);
    if (seed % 10 === 0) assert.equal(compileDsl(randomDocument(seed), library).code, code);
    bytes += code.length;
  }
  assert.ok(bytes > 200_000, `the documents are too short to be meaningful: ${bytes} bytes`);
});

test("the layout changes nothing but its own warning", () => {
  const plain = documentOf([{ id: "a", kind: "back" }]);
  const laid = { ...plain, layout: { nodes: { a: { x: 1, y: 2 }, gone: { x: 0, y: 0 } } } };
  assert.equal(compileDsl(laid, "playwright").code, compileDsl(plain, "playwright").code);
  assert.deepEqual(compileDsl(laid, "playwright").warnings, [
    'document [unknown-layout] layout.nodes has "gone", which is not a block',
  ]);
});

test("nodeCount counts nested, disabled and subflow blocks, and no comments", () => {
  const { nodeCount } = compileDsl(
    documentOf(
      [
        { id: "a", kind: "comment", text: "x" },
        { id: "b", kind: "forCount", times: 1, steps: [{ id: "c", kind: "back", disabled: true }] },
      ],
      { subflows: { s: { steps: [{ id: "d", kind: "back" }] } } },
    ),
    "playwright",
  );
  assert.equal(nodeCount, 3);
});

test("text never becomes code", () => {
  const nasty = "\"'`${process.exit()}\\\n\u2028*/ // {{ vars.x | default:'a' }} \\{{";
  const steps: Block[] = [
    { id: "a", kind: "log", message: nasty, label: "x\n*/ process.exit()" },
    { id: "b", kind: "comment", text: "one\rprocess.exit()\u2028process.exit()" },
    { id: "c", kind: "log", message: "y".repeat(50_000) },
  ];
  for (const library of libraries) {
    const { code } = compileDsl(documentOf(steps, { name: "n\nprocess.exit()" }), library);
    assert.deepEqual(checkContract(code).violations, []);
    assert.ok(code.split("\n").every((line) => line.length < 20_000));
  }
});

test("code above a script's size limit is refused with its size", () => {
  const steps = Array.from(
    { length: 12 },
    (_, at): Block => ({ id: `a${at}`, kind: "log", message: "x".repeat(60_000) }),
  );
  assert.throws(() => compileDsl(documentOf(steps), "playwright"), {
    kind: "invalid",
    message: /^the compiled code has \d+ bytes, more than the 524288 of a script/,
  });
});
