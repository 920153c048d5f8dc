/** back, forward and reload: the page that they lead to, in every way in which a browser goes there, or the reason why not. */
import assert from "node:assert/strict";
import type { IncomingMessage, ServerResponse } from "node:http";
import { beforeEach, test } from "node:test";
import { conflict } from "../conflict.ts";
import { ownServer } from "./fixture/own-server.ts";
import { shownPage } from "./fixture/shown-page.ts";

const page = shownPage();
let answer: (path: string, response: ServerResponse, request: IncomingMessage) => void;
const server = ownServer((request, response) => {
  response.setHeader("content-type", "text/html");
  if (request.url === "/favicon.ico") response.writeHead(404).end();
  else answer(request.url ?? "", response, request);
});

/** The path is the title. Unless its path says so, a page is kept neither in the cache nor in memory. */
const usual: typeof answer = (path, response) => {
  const kept = path.startsWith("/kept");
  if (!kept) response.setHeader("cache-control", "no-store");
  response.end(`<!doctype html><title>${path}</title><script>
    addEventListener("pageshow", (event) => { restored = event.persisted; });
    ${kept ? "" : "addEventListener('unload', () => {});"}</script>`);
};
beforeEach(() => {
  answer = usual;
});

const visit = (path: string) => page.verbs.navigate({ url: server.origin + path });
const back = () => page.verbs.back({});
const forward = () => page.verbs.forward({});
const reload = (options = {}) => page.verbs.reload(options);
const at = (path: string) => ({ url: server.origin + path, title: path });

test("back and forward lead through the tab's pages, and are refused at its ends", async () => {
  await visit("/one");
  await visit("/two");
  assert.deepEqual(await back(), at("/one"));
  assert.equal(await page.value("document.title + document.readyState"), "/onecomplete");
  assert.deepEqual(await forward(), at("/two"));
  await assert.rejects(forward(), conflict(/nowhere to go forward to: this is the last page of the tab/));
  assert.equal(await page.value("document.title"), "/two");
  await back();
  assert.equal((await back()).url, "about:blank");
  await assert.rejects(back(), conflict(/nowhere to go back to: this is the first page of the tab/));
});

test("a page that the browser has kept is restored, with its state, and can be used", async () => {
  await visit("/kept-one");
  await page.value("document.body.innerHTML = '<input id=f>'; state = 7");
  await page.type("#f", "typed");
  await visit("/kept-two");
  assert.deepEqual(await back(), at("/kept-one"));
  assert.deepEqual(await page.value("[restored, state, f.value]"), [true, 7, "typed"]);
  await page.type("#f", " on");
  assert.equal(await page.value("f.value"), "typed on");
  assert.deepEqual(await forward(), at("/kept-two"));
  assert.equal(await page.value("restored"), true);
});

test("steps within a page are taken: of addresses with a hash and of pushState", async () => {
  await visit("/app");
  await page.value(`history.pushState({ n: 1 }, "", "/app?1"); location.hash = "part"; alive = true;
    steps = []; addEventListener("popstate", (event) => steps.push(event.state?.n ?? null)); 0`);
  assert.equal((await back()).url, `${server.origin}/app?1`);
  assert.equal((await back()).url, `${server.origin}/app`);
  assert.equal((await forward()).url, `${server.origin}/app?1`);
  assert.deepEqual(await page.value("[steps, alive]"), [[1, null, 1], true]);
});

test("reload asks the server again, with ignore_cache for everything", async () => {
  const asked: string[] = [];
  answer = (path, response, { headers }) => {
    asked.push(`${path} ${headers["cache-control"] ?? "-"}`);
    if (path === "/style")
      return response
        .writeHead(200, { "content-type": "text/css", "cache-control": "max-age=600" })
        .end("p{}");
    response.end("<title>/r</title><link rel=stylesheet href=/style>");
  };
  await visit("/r");
  await page.value("here = true");
  asked.length = 0;
  assert.deepEqual(await reload(), at("/r"));
  assert.equal(await page.value("typeof here"), "undefined");
  assert.deepEqual(asked, ["/r max-age=0"]);
  asked.length = 0;
  assert.deepEqual(await reload({ ignore_cache: true }), at("/r"));
  assert.deepEqual(asked, ["/r no-cache", "/style no-cache"]);
});

test("a reload sends a form again, and stays where the page is", async () => {
  const methods: (string | undefined)[] = [];
  answer = (path, response, { method }) => {
    methods.push(method);
    response.end(`<title>${path}</title><form method=post action=/sent><button id=b>Send</button></form>`);
  };
  await visit("/form");
  assert.deepEqual(await page.click("#b"), at("/sent"));
  assert.deepEqual(await reload(), at("/sent"));
  assert.deepEqual(methods, ["GET", "POST", "POST"]);
});

test("a page that asks before it is left is left, and the question is reported", async () => {
  await visit("/kept-before");
  await visit("/asks");
  await page.value(
    `document.body.innerHTML = "<button id=b>B</button>"; addEventListener("beforeunload", (event) => event.preventDefault());`,
  );
  await page.click("#b");
  assert.deepEqual(await reload(), { ...at("/asks"), dialogs: [{ type: "beforeunload", message: "" }] });
  await page.value(
    `document.body.innerHTML = "<button id=b>B</button>"; addEventListener("beforeunload", (event) => event.preventDefault());`,
  );
  await page.click("#b");
  assert.deepEqual(await back(), { ...at("/kept-before"), dialogs: [{ type: "beforeunload", message: "" }] });
});

test("a page that does not load is a conflict with the browser's reason, and can be tried again", async () => {
  await visit("/gone");
  await visit("/next");
  answer = (_path, response) => response.destroy();
  await assert.rejects(back(), conflict(/navigation to http:\S+\/gone failed: net::ERR_EMPTY_RESPONSE$/));
  await assert.rejects(reload(), conflict(/\/gone failed: net::ERR_EMPTY_RESPONSE$/));
  answer = usual;
  assert.deepEqual(await reload(), at("/gone"));
  assert.deepEqual(await forward(), at("/next"));
});

test("an answer that is no page leaves the old one, and is a conflict", async () => {
  await visit("/stays");
  answer = (_path, response) => void response.writeHead(204).end();
  await assert.rejects(reload(), conflict(/\/stays failed: net::ERR_ABORTED/));
  answer = (_path, response) => void response.setHeader("content-disposition", "attachment").end("bytes");
  await assert.rejects(reload(), conflict(/\/stays failed: net::ERR_ABORTED/));
  assert.equal(await page.value("document.title"), "/stays");
});

test("a document that breaks off is a conflict with the reason, and shows what came", async () => {
  await visit("/broken");
  answer = (path, response) => {
    if (path !== "/broken") return response.end();
    response.setHeader("content-length", 9_000);
    response.write("<title>Begun</title><p>Begun", () => setImmediate(() => response.destroy()));
  };
  await assert.rejects(
    reload(),
    conflict(/\/broken failed: net::ERR_CONTENT_LENGTH_MISMATCH; the page shows what came before that/),
  );
  assert.equal(await page.value("document.title"), "Begun");
});

test("a page that sends on is followed, and one that runs an endless script is left", async () => {
  await visit("/first");
  await visit("/second");
  answer = (path, response, request) =>
    path === "/first"
      ? void response.writeHead(302, { location: "/elsewhere" }).end()
      : usual(path, response, request);
  assert.deepEqual(await back(), at("/elsewhere"));
  answer = usual;
  await visit("/third");
  await page.value("setTimeout(() => { for (;;); }, 0)");
  assert.deepEqual(await reload(), at("/third"));
});

test("a page that has crashed is loaded again, or left through the history", async () => {
  const { session } = await page.browser.tabs.current();
  const crash = () =>
    new Promise<void>((resolve) => {
      const off = session.on("Inspector.targetCrashed", () => {
        off();
        resolve();
      });
      session.send("Page.crash", {}).catch(() => {}); // The crash itself.
    });
  await visit("/before");
  await visit("/crashes");
  await crash();
  await assert.rejects(page.verbs.snapshot({}), conflict(/the page has crashed/));
  assert.deepEqual(await reload(), at("/crashes"));
  await crash();
  assert.deepEqual(await back(), at("/before"));
  assert.equal(await page.value("document.title"), "/before");
});
