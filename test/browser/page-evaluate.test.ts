/** evaluate answers with what JSON.stringify gives, or with a conflict that has the reason; sources work as in a console. */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { conflict } from "../conflict.ts";
import { createTestProfile, makeDir, removeDir, type TestProfile } from "./fixture/profile.ts";

let dir: string;
let profile: TestProfile;

before(async () => {
  dir = await makeDir();
  profile = createTestProfile(dir);
  await profile.open();
  await profile.page.navigate({ url: "data:text/html,<title>Values</title><p id=p>words" });
});
after(async () => {
  await profile.control.stop({});
  await removeDir(dir);
});

const value = async (expression: string) => (await profile.page.evaluate({ expression })).result;

/** Each as an expression, and as statements that end with it. */
const bothWays = (source: string) => [source, `const held = (${source}); held`];

test("objects with toJSON, and all that JSON.stringify takes, come as it gives them", async () => {
  const sources = [
    "new Date(0)",
    "[new Date(0), { at: new Date(1) }]",
    "p.getBoundingClientRect()",
    "new URL('http://site.example/a?b')",
    "[performance.timeOrigin === performance.toJSON().timeOrigin, new Map([[1, 2]]), undefined, () => 1, NaN, -0]",
    "({ a: undefined, b: Symbol('x'), c: { toJSON: () => 'own' } })",
    "Object.create({ inherited: 1 }, { own: { value: 2, enumerable: true } })",
    "'\\ud800'",
    "NaN",
    "-0",
    "null",
  ];
  for (const source of sources) {
    const wanted = JSON.parse(String(await value(`JSON.stringify(${source})`)));
    for (const way of bothWays(source)) assert.deepEqual(await value(way), wanted, way);
  }
  assert.equal(await value("new Date(0)"), "1970-01-01T00:00:00.000Z");
  for (const nothing of ["undefined", "void 0", "() => 1", "", "// words", "let unused = 1"])
    assert.equal(await value(nothing), null, nothing);
});

test("a value without JSON is a conflict with the reason", async () => {
  const reasons: [source: string, reason: RegExp][] = [
    ["(() => { const a = {}; a.a = a; return a; })()", /cannot be made JSON: .*circular/],
    ["window", /cannot be made JSON: .*(circular|cross-origin|denied)/i],
    ["Symbol('x')", /the result is a symbol/],
    ["1n", /the result is a BigInt/],
    ["[1n]", /cannot be made JSON: .*BigInt/],
    ["({ toJSON() { throw new Error('no way'); } })", /cannot be made JSON: no way/],
    ["new Proxy({}, { ownKeys() { throw new Error('no keys'); } })", /cannot be made JSON: no keys/],
    ["new Proxy({}, { get() { throw new Error('no get'); } })", /the page threw: Error: no get/],
    ["({ toJSON() { throw new Proxy({}, { get() { throw 1; } }); } })", /cannot be made JSON: an exception/],
    ["Array.from({ length: 1500 }).reduce((inner) => [inner], 1)", /nested more than 1000 levels deep/],
    ["'é'.repeat(40000)", /the result is 80002 bytes of JSON/],
    ["['x'.repeat(70000)]", /the result is 70004 bytes of JSON/],
  ];
  for (const [source, reason] of reasons) {
    for (const way of bothWays(source)) await assert.rejects(value(way), conflict(reason), way);
  }
});

test("an exception is reported by its message, or by its JSON", async () => {
  const thrown: [source: string, words: RegExp][] = [
    ["throw { code: 3 }", /the page threw: \{"code":3\}/],
    ["throw { message: 'in an object', code: 3 }", /the page threw: in an object/],
    ["Promise.reject({ code: 4 })", /the page threw: \{"code":4\}/],
    ["throw [1, 2]", /the page threw: \[1,2\]/],
    ["throw 5", /the page threw: 5/],
    ["throw null", /the page threw: null/],
    ["throw undefined", /the page threw: undefined/],
    ["throw new (class Own {})()", /the page threw: Own/],
    ["throw new TypeError('typed')", /the page threw: TypeError: typed\n\s+at/],
    ["document.querySelector('##')", /the page threw: SyntaxError|is not a valid selector/],
    ["(", /the page threw: SyntaxError/],
    ["1);(2", /the page threw: SyntaxError/],
  ];
  for (const [source, words] of thrown) await assert.rejects(value(source), conflict(words), source);
});

test("sources work as in a console: await anywhere, names declared again, objects in braces", async () => {
  assert.equal(await value("await Promise.resolve(7)"), 7);
  assert.equal(await value("(await new Promise((done) => setTimeout(done, 1, 'later'))).length"), 5);
  for (const count of [1, 2]) {
    assert.equal(await value(`const again = ${count}; let more = again; class Kind {} more`), count);
    assert.equal(await value(`const { url } = await Promise.resolve({ url: ${count} }); url`), count);
  }
  assert.equal(await value("again + more"), 4);
  assert.deepEqual(await value("const sent = Promise.resolve([1]); sent"), [1]);
  assert.deepEqual(await value("{ a: 1, b: [2] }"), { a: 1, b: [2] });
  assert.equal(await value("{ 1; 2 }"), 2);
  assert.equal(await value("/* a function */ function stays() { return 'here'; }"), null);
  assert.equal(await value("stays()"), "here");
  assert.equal(await value("p.textContent; // a remark"), "words");
  assert.equal(await value("1,\n2;;\n"), 2);
  assert.equal(await value("'use strict'"), "use strict");
  assert.equal(await value("this === window"), true);
});

test("on a page that has replaced JSON, the refusal names the page's own reason", async () => {
  const frame = "const f = document.body.appendChild(document.createElement('iframe'))";
  assert.equal(await value(`${frame}; JSON.stringify = () => { throw new Error("replaced"); }; 1`), 1);
  await assert.rejects(value("({})"), conflict(/cannot be made JSON: replaced/));
  await value("void (JSON.stringify = document.querySelector('iframe').contentWindow.JSON.stringify)");
});
