/** A snapshot's query over real HTTP: its texts become booleans and numbers, or a refusal names the field. */
import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { after, before, test } from "node:test";
import { startTestService, type TestService } from "./running.ts";

let app: TestService;
before(async () => {
  app = await startTestService();
});
after(() => app.stop());

const ask = (query: string) => app.client.get(`/v1/profiles/${randomUUID()}/snapshot?${query}`);

test("a valid query reaches the profile", async () => {
  for (const query of ["", "interactive=true&selector=%23a&depth=2&max_chars=500", "interactive=false"]) {
    const reply = await ask(query);
    assert.equal(reply.status, 409, query);
    assert.match(JSON.stringify(reply.body), /does not exist/);
  }
});

test("a value of the wrong type, out of range, empty, unknown or repeated answers 400 and is named", async () => {
  const refused: Record<string, RegExp> = {
    "interactive=yes": /interactive/,
    "interactive=1": /interactive/,
    "depth=0": /depth/,
    "depth=two": /depth/,
    "max_chars=-1": /max_chars/,
    "max_chars=true": /max_chars/,
    "selector=": /selector/,
    "maxChars=5": /maxChars/,
    "depth=1&depth=2": /depth is given twice/,
  };
  for (const [query, message] of Object.entries(refused)) {
    const reply = await ask(query);
    assert.equal(reply.status, 400, query);
    assert.match(JSON.stringify(reply.body), message);
  }
});
