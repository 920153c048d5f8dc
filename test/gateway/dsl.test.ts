/** The DSL over real HTTP: its schema, its compilation, and scripts that the application saves. */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { connectApp } from "../../gateway/app-client.ts";
import { readInstance } from "../../gateway/instance.ts";
import type { AppApi } from "../../protocol/messages/app.ts";
import { startTestService, type TestService } from "./running.ts";

interface Compiled {
  code: string;
  nodeCount: number;
  target: string;
  warnings: string[];
}

let app: TestService;
let own: AppApi;
before(async () => {
  app = await startTestService();
  const instance = readInstance(app.dataDir);
  assert.ok(instance);
  own = connectApp(instance);
});
after(() => app.stop());

const errorOf = (reply: { body: unknown }) => (reply.body as { error: string }).error;
const document = {
  dslVersion: "1.0",
  name: "Look",
  steps: [
    { id: "a", kind: "navigate", url: "https://example.com/" },
    { id: "b", kind: "pageInfo", what: "title", saveTo: "title" },
    { id: "c", kind: "output", values: { title: "{{ title }}" } },
  ],
};

test("the schema has a version and describes documents", async () => {
  const { status, body } = await app.client.get("/v1/dsl/schema");
  assert.equal(status, 200);
  const { dslVersion, schema } = body as { dslVersion: string; schema: Record<string, unknown> };
  assert.equal(dslVersion, "1.0");
  assert.equal(schema.$schema, "https://json-schema.org/draft/2020-12/schema");
  assert.deepEqual(schema.required, ["dslVersion", "steps"]);
  const [example] = schema.examples as object[];
  const compiled = await app.client.post("/v1/dsl/compile", { dsl: example, target: "puppeteer" });
  assert.equal(compiled.status, 200);
});

test("a document compiles for each target without being saved", async () => {
  for (const target of ["playwright", "puppeteer"]) {
    const { status, body } = await app.client.post("/v1/dsl/compile", { dsl: document, target });
    assert.equal(status, 200);
    const compiled = body as Compiled;
    assert.deepEqual(Object.keys(compiled).sort(), ["code", "nodeCount", "target", "warnings"]);
    assert.deepEqual([compiled.nodeCount, compiled.target, compiled.warnings], [3, target, []]);
    assert.match(compiled.code, new RegExp(`^import type { Page } from "${target}-core";`));
    const saved = await app.client.post("/v1/scripts", { name: "copy", source: compiled.code });
    assert.equal(saved.status, 200, "the code fulfils the Raw contract");
  }
  assert.ok((await own.listScripts({})).every(({ mode }) => mode === "raw"));
});

test("a recording compiles too, with a warning for each approximation", async () => {
  const recording = {
    title: "r",
    steps: [
      { type: "setViewport", width: 1, height: 1 },
      { type: "navigate", url: "https://example.com/" },
    ],
  };
  const { body } = await app.client.post("/v1/dsl/compile", { dsl: recording, target: "playwright" });
  assert.deepEqual((body as Compiled).warnings, [
    "node s1 [imported] the size of the viewport is left out; the profile has its own",
  ]);
});

test("a missing or invalid part answers 400 with its path", async () => {
  const click = { dslVersion: "1.0", steps: [{ id: "n4", kind: "click", target: {} }] };
  for (const [body, text] of [
    [{ target: "playwright" }, "dsl is required and must be an object"],
    [{ dsl: document }, "target is required and must be one of playwright, puppeteer"],
    [{ dsl: [], target: "playwright" }, "dsl must be an object, got an empty array"],
    [{ dsl: document, target: "selenium" }, 'target must be one of playwright, puppeteer, got "selenium"'],
    [
      { dsl: {}, target: "playwright" },
      'the document: required property "dslVersion" is missing\nthe document: required property "steps" is missing',
    ],
    [
      { dsl: click, target: "playwright" },
      '/steps/0/target: node "n4" (click): required property "by" is missing',
    ],
  ] as const) {
    const reply = await app.client.post("/v1/dsl/compile", body);
    assert.equal(reply.status, 400);
    assert.equal(errorOf(reply), `invalid request: ${text}`);
  }
});

test("other calls are answered while a large document compiles", async () => {
  const steps = Array.from({ length: 1_000 }, (_, at) => ({
    id: `b${at}`,
    kind: "type",
    target: { by: "label", value: "Name" },
    text: "{{ input.name | trim }} and {{ vars.more | default:none }}",
  }));
  let pending = true;
  const compile = app.client
    .post("/v1/dsl/compile", { dsl: { dslVersion: "1.0", steps }, target: "puppeteer" })
    .finally(() => {
      pending = false;
    });
  let answered = 0;
  while (pending) {
    await app.client.get("/v1/capacity");
    answered += pending ? 1 : 0;
  }
  const { status, body } = await compile;
  assert.deepEqual([status, (body as Compiled).nodeCount], [200, 1_000]);
  assert.ok(answered >= 3, `only ${answered} calls were answered meanwhile`);
});

const save = (dsl: object, scriptId: string | null = null) =>
  own.saveDslScript({ name: null, description: "", dsl: { ...dsl }, target: "playwright", scriptId });

test("the application saves a DSL script, whose source is its compiled code", async () => {
  const saved = await save(document);
  assert.deepEqual([saved.approved, saved.version, saved.nodeCount, saved.warnings], [false, "1", 3, []]);
  const listed = (await own.listScripts({})).find(({ id }) => id === saved.scriptId);
  assert.deepEqual([listed?.name, listed?.mode, listed?.origin], ["Look", "dsl", "app"]);
  const { body } = await app.client.get(`/v1/scripts/${saved.scriptId}`);
  const compiled = await app.client.post("/v1/dsl/compile", { dsl: document, target: "playwright" });
  assert.equal((body as { source: string }).source, (compiled.body as Compiled).code);
  const read = await own.readDslScript({ scriptId: saved.scriptId });
  assert.deepEqual([read.dsl, read.target, read.script.id], [document, "playwright", saved.scriptId]);
});

test("a script's approval lasts while its code is unchanged", async () => {
  const { scriptId } = await save(document);
  await own.approveScript({ scriptId });
  const moved = await save({ ...document, layout: { nodes: { a: { x: 5, y: 5 } } } }, scriptId);
  assert.deepEqual([moved.scriptId, moved.approved, moved.version], [scriptId, true, "1"]);
  const changed = await save({ ...document, steps: document.steps.slice(0, 1) }, scriptId);
  assert.deepEqual([changed.approved, changed.version], [false, "2"]);
});

test("the API does not replace a DSL script, and the application replaces no Raw script with one", async () => {
  const { scriptId } = await save(document);
  const source = "export default async function run() {}";
  const reply = await app.client.post("/v1/scripts", { name: "x", source, script_id: scriptId });
  assert.equal(reply.status, 409);
  assert.equal(errorOf(reply), `conflict: script ${scriptId} is a DSL script; create a new script instead`);
  const raw = (await app.client.post("/v1/scripts", { name: "x", source })).body as { scriptId: string };
  await assert.rejects(save(document, raw.scriptId), { kind: "conflict" });
  await assert.rejects(own.readDslScript({ scriptId: raw.scriptId }), { kind: "conflict" });
});

test("the application's refusal to save names the reason, and a recording is saved as a document", async () => {
  await assert.rejects(save({ dslVersion: "1.0", steps: [{ id: "a", kind: "break" }] }), {
    kind: "invalid",
    message: '/steps/0: node "a" (break): "break" is not inside a loop',
  });
  await assert.rejects(save({ dslVersion: "1.0", steps: [] }), {
    kind: "invalid",
    message: /^name is required/,
  });
  const { scriptId } = await save({
    title: "Recorded",
    steps: [{ type: "navigate", url: "https://example.com/" }],
  });
  const { dsl, script } = await own.readDslScript({ scriptId });
  assert.equal(script.name, "Recorded");
  assert.deepEqual(dsl.steps, [{ id: "s1", kind: "navigate", url: "https://example.com/" }]);
});
