/** Keys that every JavaScript object inherits are unknown keys, and targets that are no plain path are unknown paths. */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { checked, queryValues } from "../../gateway/gate/shapes.ts";
import { partsOf } from "../../gateway/mcp/tools.ts";
import { routes } from "../../gateway/routes/all.ts";
import { startTestService, type TestService } from "../gateway/running.ts";
import { listenersOf } from "./listeners.ts";
import { sendRaw } from "./raw-http.ts";

let app: TestService;
before(async () => {
  app = await startTestService();
});
after(() => app.stop());

const inherited = ["__proto__", "constructor", "toString", "hasOwnProperty"];
const error = (body: unknown) => (body as { error: string }).error;

test("an inherited key of a body, an inner object or a query is named as unknown", async () => {
  for (const key of inherited) {
    const words = `invalid request: unknown key ${key}; known keys are `;
    for (const value of ["null", "2", '{"count":1}']) {
      const rawBody = `{"${key}":${value},"count":0}`;
      const { status, body } = await app.client.post("/v1/profiles", undefined, { rawBody });
      assert.equal(status, 400);
      assert.ok(error(body).startsWith(words), error(body));
    }
    for (const query of [`${key}=2`, `limit=5&${key}=`]) {
      const { status, body } = await app.client.get(`/v1/runs?${query}`);
      assert.equal(status, 400, query);
      assert.ok(error(body).startsWith(words), error(body));
    }
    const capacity = await app.client.get(`/v1/capacity?${key}=2`);
    assert.equal(
      error(capacity.body),
      `invalid request: unknown key ${key}; this call takes no query parameters`,
    );
    const twice = await app.client.get(`/v1/runs?${key}=1&${key}=2`);
    assert.equal(error(twice.body), `invalid request: ${key} is given twice in the query`);
    const inner = JSON.parse(`{"schedule_id":"7","${key}":1}`);
    assert.throws(() => checked("ListRunsQuery", inner, "query"), {
      message: new RegExp(`unknown key ${key};`),
    });
  }
});

test("an inherited key among a tool's arguments stays a key of its own", () => {
  for (const id of ["createProfiles", "listRuns"]) {
    const route = routes.find((one) => one.id === id);
    assert.ok(route);
    const { query, body } = partsOf(route, JSON.parse('{"__proto__":{"count":1}}'));
    assert.deepEqual(Object.keys(body ?? query), ["__proto__"], id);
    assert.equal(Reflect.get(Object.getPrototypeOf(body ?? query), "count"), undefined, id);
  }
});

test("a query's integers and booleans are converted as before", () => {
  const route = routes.find(({ query }) => query === "SnapshotQuery");
  assert.ok(route);
  const values = queryValues(route, new URLSearchParams("depth=3&interactive=true&selector=a"));
  assert.deepEqual(values, { depth: 3, interactive: true, selector: "a" });
});

test("an absolute target, or one with a fragment, is an unknown path on every listener", async () => {
  for (const { name, port, credentials, path } of listenersOf(app)) {
    for (const target of [
      `http://evil.test${path}`,
      `http://127.0.0.1:${port}${path}`,
      `x:${path}`,
      `${path}#x`,
    ]) {
      const method = path === "/mcp" ? "POST" : "GET";
      const head = `${method} ${target} HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n${credentials}`;
      const reply = await sendRaw(port, `${head}Content-Length: 0\r\n\r\n`);
      // Node's parser refuses some targets itself.
      assert.ok([404, 400].includes(Number(reply.status)), `${name} ${target}: ${reply.status}`);
      if (target.startsWith("http")) assert.equal(reply.status, 404, `${name} ${target}`);
    }
  }
});
