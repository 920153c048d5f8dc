/** The OpenAPI document passes an independent linter and matches the routes. */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { createConfig, lintFromString } from "@redocly/openapi-core";
import { routes } from "../../gateway/routes/all.ts";
import { committedDocument, firstDifference, withoutPort } from "./committed-openapi.ts";
import { startTestService, type TestService } from "./running.ts";

interface Document {
  openapi: string;
  info: { version: string };
  paths: Record<string, Record<string, { "x-service-access": string; operationId: string }>>;
  components: { schemas: Record<string, { properties?: object; additionalProperties?: unknown }> };
}

let app: TestService;
let document: Document;
before(async () => {
  app = await startTestService();
  document = (await app.client.get("/v1/openapi.json")).body as Document;
});
after(() => app.stop());

test("the committed document is the served one", () => {
  const at = firstDifference(withoutPort(document), committedDocument());
  const remedy = "run `npm run openapi`, read its diff and commit it if callers may see the change";
  assert.equal(at, null, `protocol/openapi.json differs from the served document at ${at}: ${remedy}`);
});

test("the first difference is found by its place", () => {
  assert.equal(firstDifference({ a: [1, { "b/c": 2 }] }, { a: [1, { "b/c": 2 }] }), null);
  assert.equal(firstDifference({ a: [1, { "b/c": 2 }] }, { a: [1, { "b/c": 3 }] }), "/a/1/b~1c");
  assert.equal(firstDifference({ a: 1 }, { a: 1, b: 2 }), "/b");
  assert.equal(firstDifference({ a: [] }, { a: {} }), "/a");
});

test("the document is OpenAPI 3.1, version 1.0.0", () => {
  assert.match(document.openapi, /^3\.1\./);
  assert.equal(document.info.version, "1.0.0");
});

test("an OpenAPI linter finds no error in it", async () => {
  const config = await createConfig({ extends: ["recommended"] });
  const problems = await lintFromString({ source: JSON.stringify(document), config });
  const errors = problems.filter((problem) => problem.severity === "error");
  assert.deepEqual(
    errors.map(({ ruleId, message, location }) => `${ruleId}: ${message} at ${location[0]?.pointer}`),
    [],
  );
});

test("the linter finds errors in a damaged document", async () => {
  const config = await createConfig({ extends: ["recommended"] });
  const paths = { ...document.paths, "/v1/capacity": { get: { responses: {} } } };
  const problems = await lintFromString({ source: JSON.stringify({ ...document, paths }), config });
  assert.ok(problems.some((problem) => problem.severity === "error"));
});

test("the operations are exactly the routes, each with its access class", () => {
  const operations = Object.entries(document.paths).flatMap(([path, item]) =>
    Object.entries(item).map(([method, operation]) => [
      `${method.toUpperCase()} ${path}`,
      operation.operationId,
      operation["x-service-access"],
    ]),
  );
  assert.deepEqual(
    operations.sort(),
    routes.map((route) => [`${route.method} ${route.path}`, route.id, route.access]).sort(),
  );
});

test("every object schema is closed", () => {
  for (const [name, schema] of Object.entries(document.components.schemas)) {
    if (schema.properties !== undefined) assert.equal(schema.additionalProperties, false, name);
  }
});
