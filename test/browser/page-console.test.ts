/** The verbs console and network: what pages write and ask for, with cursors, and unseen by the page. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { browserOnSite } from "./fixture/on-site.ts";

const { on, visit, value } = browserOnSite();
const consoleOf = async (query = {}) => on.page.console(query);
const networkOf = async (query = {}) => on.page.network(query);

test("the first call has what the page wrote before it, later ones only what came since", async () => {
  await visit("/");
  await value("console.log('one', 2, { a: 1 }), console.warn('careful'), console.debug('detail')");
  const { messages, cursor } = await consoleOf();
  const mine = messages.map(({ level, source, text }) => [level, source, text]);
  assert.deepEqual(mine.slice(-3), [
    ["log", "console", "one 2 [object Object]"],
    ["warning", "console", "careful"],
    ["debug", "console", "detail"],
  ]);
  await value("console.error('later')");
  const later = await consoleOf({ since: cursor });
  assert.deepEqual(
    later.messages.map(({ text }) => text),
    ["later"],
  );
  assert.deepEqual((await consoleOf({ since: later.cursor })).messages, []);
  assert.deepEqual(
    (await consoleOf({ level: "warning", limit: 1 })).messages.map(({ text }) => text),
    ["careful"],
  );
});

test("errors that nothing caught are there, of the page that is next too", async () => {
  const { cursor } = await consoleOf();
  await visit("/next");
  await value(
    "void (setTimeout(() => { throw new TypeError('broken'); }), Promise.reject(new Error('unkept')))",
  );
  await value("new Promise((done) => setTimeout(done, 20))"); // Behind both.
  const { messages } = await consoleOf({ since: cursor, level: "error" });
  const errors = messages.filter(({ source }) => source === "page");
  assert.deepEqual(
    errors.map(({ text }) => text),
    ["Uncaught TypeError: broken", "Uncaught (in promise)"],
  );
  assert.equal(errors[0]?.line, 1);
});

test("a page sees nothing of it: no getter of what it logs is called, and no name is added", async () => {
  await visit("/");
  await consoleOf();
  const seen = await value(`(() => {
    const seen = [];
    const error = Object.defineProperty(new Error("x"), "stack", { get() { seen.push("stack"); return ""; } });
    const watched = new Proxy({}, { get(_on, key) { seen.push(String(key)); }, ownKeys() { seen.push("keys"); return []; } });
    console.debug(error); console.log({ get id() { seen.push("id"); return 1; } }); console.table([error]); console.log(watched);
    for (const key of ["bubbles", "detail", "get"]) Object.defineProperty(Object.prototype, key, { configurable: true, get() { seen.push(key); } });
    for (const type of [EventTarget, Document]) type.prototype.dispatchEvent = () => seen.push("dispatch");
    for (const key of ["message", "lineno"]) Object.defineProperty(ErrorEvent.prototype, key, { get() { seen.push(key); } });
    Reflect.apply = () => seen.push("apply");
    return new Promise((done) => {
      setTimeout(() => { throw error; });
      Promise.reject(watched);
      setTimeout(() => done([seen, Object.keys(window).filter((key) => /troupe/i.test(key))]), 20);
    });
  })()`);
  assert.deepEqual(seen, [[], []]);
});

test("requests have their status, sizes and errors, without a password, and never bodies or headers", async () => {
  await visit("/");
  const { cursor } = await networkOf();
  const host = new URL(on.site.origin).host;
  await value(
    `Promise.allSettled([fetch("/next?a=1").then((reply) => reply.text()), fetch("/no-such-page"), fetch("http://127.0.0.1:1/"), fetch(new Request("/next", { method: "POST", body: "secret" }))])`,
  );
  await on.page.navigate({ url: `http://name:word@${host}/next` });
  const { requests } = await networkOf({ since: cursor });
  const fetched = requests.filter(({ type }) => type === "fetch");
  const of = (path: string, method = "GET") =>
    fetched.find((one) => one.url.endsWith(path) && one.method === method);
  assert.equal(of("/next?a=1")?.status, 200);
  assert.ok((of("/next?a=1")?.bytes ?? 0) > 0 && (of("/next?a=1")?.duration_ms ?? -1) >= 0);
  assert.equal(of("/next", "POST")?.status, 200);
  assert.match(of("http://127.0.0.1:1/")?.error ?? "", /net::ERR_/);
  assert.doesNotMatch(JSON.stringify(requests), /secret|name:word/);
  const failed = (await networkOf({ since: cursor, failed: true })).requests.map(
    ({ url }) => new URL(url).pathname,
  );
  assert.deepEqual(failed.filter((path) => path !== "/favicon.ico").sort(), ["/", "/no-such-page"]);
  assert.ok((await networkOf({ type: "document" })).requests.every(({ type }) => type === "document"));
});

test("limit reads on from a cursor without a gap", async () => {
  await visit("/");
  const { cursor } = await networkOf();
  await value(`Promise.all([1, 2, 3, 4, 5].map((at) => fetch("/next?" + at)))`);
  const seen: string[] = [];
  for (let since = cursor; ; ) {
    const part = await networkOf({ since, limit: 2, type: "fetch" });
    if (part.requests.length === 0) break;
    seen.push(...part.requests.map(({ url }) => url.slice(-1)));
    since = part.cursor;
  }
  assert.deepEqual(seen.sort(), ["1", "2", "3", "4", "5"]);
});
