/** Bodies whose strings are no well-formed Unicode are refused on arrival, because storing them would change them. */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { malformedText } from "../../gateway/gate/well-formed.ts";
import { startTestService, type TestService } from "../gateway/running.ts";
import { listenersOf } from "./listeners.ts";
import { sendRaw } from "./raw-http.ts";

let app: TestService;
before(async () => {
  app = await startTestService();
});
after(() => app.stop());

const malformed = (text: string) => malformedText(Buffer.from(text));

test("half a surrogate pair is found in values and keys, and its field is named", () => {
  const cases: [text: string, found: RegExp | null][] = [
    ['{"a":"\\ud83d\\ude00"}', null],
    ['{"a":"\\uD83D\\uDE00 \\ud7ff \\ue000"}', null],
    ['{"a":"\\\\ud800"}', null],
    ['{"a":"\\\\\\ud800"}', /^a must be well-formed Unicode/],
    ['{"a":"\\ud800"}', /^a must be well-formed Unicode, got half a surrogate pair$/],
    ['{"a":"\\uDFFF"}', /^a must be/],
    ['{"a":"\\ude00\\ud83d"}', /^a must be/],
    ['{"a":{"b":[1,"x","\\udc00"]}}', /^a\.b\[2\] must be/],
    ['{"a":{"\\ud800":1}}', /^a must have keys that are well-formed Unicode/],
    ['{"\\ud800":1}', /^the body must have keys/],
    ['{"__proto__":{"c":"\\ud800"}}', /^__proto__\.c must be/],
    ['["\\ud800"]', /^\[0\] must be/],
    ['"\\ud800"', /^the body must be/],
    ['{"a":1,"b":{"c":[[],{"d" : 2}]},"e":"\\ud800\\u0041"}', /^e must be/],
    ['{a:"\\ud800"}', null],
    ['"\\ud8', null],
    ["", null],
  ];
  for (const [text, found] of cases) {
    const said = malformed(text);
    if (found === null) assert.equal(said, null, text);
    else assert.match(String(said), found, text);
  }
});

test("every listener answers 400 with the field, and an emoji in two escapes is kept", async () => {
  const name = '"\\ud800 {n}"';
  const bodies: Record<string, [body: string, words: RegExp]> = {
    "/v1/profiles": [
      `{"count":1,"name_template":${name}}`,
      /^invalid request: name_template must be well-fo/,
    ],
    "/mcp": [
      `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"createProfiles","arguments":{"count":1,"name_template":${name}}}}`,
      /^invalid request: params\.arguments\.name_template must be well-formed/,
    ],
    "/rpc": [
      `{"jsonrpc":"2.0","id":1,"method":"mintToken","params":[{"name":${name},"access":"read"}]}`,
      /^invalid request: params\[0\]\.name must be well-formed/,
    ],
  };
  const type = "Content-Type: application/json\r\nAccept: application/json, text/event-stream\r\n";
  for (const { name: listener, port, path, credentials } of listenersOf(app)) {
    const targets =
      path === "/mcp" ? [path] : listener === "API" ? ["/v1/profiles"] : ["/v1/profiles", "/rpc"];
    for (const target of targets) {
      const [body = "", words = /^$/] = bodies[target] ?? [];
      const head = `POST ${target} HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n${type}${credentials}`;
      const reply = await sendRaw(port, `${head}Content-Length: ${body.length}\r\n\r\n${body}`);
      assert.equal(reply.status, 400, `${listener} ${target}: ${reply.body.slice(0, 200)}`);
      assert.match(JSON.parse(reply.body).error, words, listener);
    }
  }
  const rawBody = '{"count":1,"name_template":"\\ud83d\\ude00 {n}"}';
  const { status, body } = await app.client.call("POST", "/v1/profiles", { rawBody });
  assert.equal(status, 200, JSON.stringify(body));
  assert.match(JSON.stringify((await app.client.get("/v1/profiles")).body), /"name":"😀 1"/);
});

test("bytes that are not UTF-8 are refused by MCP too, not replaced", async () => {
  for (const { name, port, path, credentials } of listenersOf(app)) {
    const target = path === "/mcp" ? path : "/v1/profiles";
    const body = Buffer.concat([Buffer.from('{"a":"'), Buffer.from([0xed, 0xa0, 0x80]), Buffer.from('"}')]);
    const head = `POST ${target} HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n${credentials}`;
    const reply = await sendRaw(
      port,
      Buffer.concat([Buffer.from(`${head}Content-Length: ${body.length}\r\n\r\n`), body]),
    );
    assert.equal(reply.status, 400, name);
    assert.match(JSON.parse(reply.body).error, /in UTF-8/, name);
  }
});
