/** Dialogs, tabs, endless scripts and crashed pages: nothing hangs, and the next call works. */
import assert from "node:assert/strict";
import type { ServerResponse } from "node:http";
import { test } from "node:test";
import WebSocket from "ws";
import { conflict } from "../conflict.ts";
import { profileOnSite } from "./fixture/on-site.ts";

const { on, visit, find, click, value } = profileOnSite();

async function targets(): Promise<{ id: string; url: string; type: string }[]> {
  const list = (await (await fetch(`${on.cdpUrl}/json/list`)).json()) as {
    id: string;
    url: string;
    type: string;
  }[];
  return list.filter((target) => target.type === "page");
}

test("a dialog is dismissed and reported by the verb during which it opens", async () => {
  await visit("/dialogs");
  const reply = await click("#ask");
  assert.deepEqual(reply.dialogs, [{ type: "confirm", message: "Sure?" }]);
  assert.equal(reply.title, "answer false");
  assert.equal((await on.profile.page.snapshot({})).dialogs, undefined);
});

test("a dialog inside an expression does not hang it", async () => {
  await visit("/");
  const reply = await on.profile.page.evaluate({ expression: "[prompt('name?'), confirm('and?')]" });
  assert.deepEqual(reply.result, [null, false]);
  assert.deepEqual(
    reply.dialogs?.map((dialog) => dialog.type),
    ["prompt", "confirm"],
  );
});

test("a verb that fails names the dialogs that opened", async () => {
  await visit("/");
  const said =
    /^the page threw: Error: too late[\s\S]*; meanwhile the page showed: confirm "Sure\?", alert "No"$/;
  await assert.rejects(value("confirm('Sure?'); alert('No'); throw new Error('too late')"), conflict(said));
});

test("a dialog that opened before the verb is dismissed and reported by it", async () => {
  await visit("/");
  // The page shows it only after the verb that set it up, and signals it with a request.
  const asked = new Promise<ServerResponse>((resolve) => {
    on.site.onRequest = (path, response) => path === "/never" && resolve(response);
  });
  await value("void fetch('/never').then(() => { fetch('/begun'); answer = confirm('Still there?'); })");
  const held = await asked;
  const begun = new Promise<void>((resolve) => {
    on.site.onRequest = (path) => path === "/begun" && resolve();
  });
  held.end();
  await begun;
  const { snapshot, dialogs } = await on.profile.page.snapshot({});
  assert.match(snapshot, /^.* — /);
  assert.deepEqual(dialogs, [{ type: "confirm", message: "Still there?" }]);
  assert.equal(await value("answer"), false);
});

test("dialogs opened by typing and by a key do not hang the verb", async () => {
  await visit("/");
  const handlers = `oninput="alert(this.value)" onkeydown="event.key === 'Escape' && confirm('Leave?')"`;
  await value(`void (document.body.innerHTML = ${JSON.stringify(`<input id="f" ${handlers}>`)})`);
  const typed = await on.profile.page.type({ node_id: await find("#f"), text: "ab" });
  assert.deepEqual(
    typed.dialogs?.map(({ message }) => message),
    ["a", "ab"],
  );
  assert.deepEqual((await on.profile.page.pressKey({ key: "Escape" })).dialogs, [
    { type: "confirm", message: "Leave?" },
  ]);
});

test("no letter is lost or typed twice, whether every letter opens a dialog or only some do", async () => {
  const text = "the quick brown fox jumps over the lazy dog ".repeat(3);
  const typeInto = async (asks: string) => {
    await visit("/");
    const field = `<textarea id="f" oninput="${asks}"></textarea>`;
    await value(`void (document.body.innerHTML = ${JSON.stringify(field)})`);
    const { dialogs } = await on.profile.page.type({ node_id: await find("#f"), text });
    assert.equal(await value("document.querySelector('#f').value"), text, asks);
    return dialogs;
  };
  assert.equal((await typeInto("alert(this.value.length)"))?.length, text.length);
  await typeInto("this.value.length % 4 || setTimeout(() => alert(1))"); // Some appear after the verb.
});

test("letters of other scripts keep their order among dialogs", async () => {
  const text = "aé bö ça va? да, привет — 你好 ok".repeat(3);
  await visit("/");
  await value(`void (document.body.innerHTML = '<textarea id="f" oninput="alert(1)"></textarea>')`);
  await on.profile.page.type({ node_id: await find("#f"), text });
  assert.equal(await value("document.querySelector('#f').value"), text);
});

test("a click is not lost when a timer or its own press opens a dialog", async () => {
  await visit("/");
  const button = `<button id="b" onmousedown="alert('down')" onclick="clicks++">Press</button>`;
  await value(
    `clicks = 0; document.body.innerHTML = ${JSON.stringify(button)}; void setInterval(() => alert("tick"), 2)`,
  );
  for (let clicks = 1; clicks <= 20; clicks++) {
    const { dialogs } = await click("#b");
    assert.ok(dialogs?.some(({ message }) => message === "down"));
    assert.equal(await value("clicks"), clicks);
  }
});

test("a page that opens dialogs repeatedly can be left, also while the next document waits for one", async () => {
  for (let left = 0; left < 15; left++) {
    await visit("/opener");
    await value("void setInterval(() => alert('tick'), 2)");
    assert.equal((await visit("/next")).title, "Next");
  }
});

test("beforeunload is accepted, so the page is left", async () => {
  await visit("/dialogs");
  await click("#ask");
  const reply = await visit("/next");
  assert.equal(reply.title, "Next");
  assert.deepEqual(reply.dialogs, [{ type: "beforeunload", message: "" }]);
});

test("the verbs drive the tab that a click opened, and the previous tab when it is closed", async () => {
  await visit("/opener");
  assert.equal((await click("a")).title, "Next");
  assert.match((await on.profile.page.snapshot({})).snapshot, /^Next — /);
  await value("window.close()");
  assert.match((await on.profile.page.snapshot({})).snapshot, /^Opener — /);
});

test("the verbs drive the window that the page's script opened, and the page keeps working", async () => {
  await visit("/opener");
  assert.equal((await click("button")).title, "Next");
  assert.equal(await value("opener.document.title"), "Opener");
  await value("window.close()");
  assert.equal(await value("held.closed"), true);
});

test("a window that shows nothing is not waited for, and one that closes for a download leaves its opener", async (t) => {
  const show = async (body: string) => {
    await visit("/");
    await value(`void (document.body.innerHTML = ${JSON.stringify(body)})`);
  };
  const opening = (url: string) => `<button onclick="window.open('${url}')">Open</button>`;
  const opensNothing = async (url: string) => {
    await show(opening(url));
    assert.equal((await click("button")).url, "about:blank", url);
    await value("window.close()");
  };
  await opensNothing("/empty");
  t.mock.timers.enable({ apis: ["setTimeout"] }); // No wait may end by its time.
  for (const url of ["data:text/html,hi", "javascript:1"]) await opensNothing(url);
  for (const body of [opening("/download"), `<a href="/download" target="_blank">Get</a>`]) {
    await show(body);
    assert.equal((await click("button, a")).title, "Start", body);
    assert.equal((await on.profile.page.snapshot({})).title, "Start");
  }
});

test("an endless loop is ended after ten seconds and does not affect later calls", async (t) => {
  await visit("/");
  const begun = new Promise<void>((resolve) => {
    on.site.onRequest = (path) => path === "/begun" && resolve();
  });
  t.mock.timers.enable({ apis: ["setTimeout"] }); // Mocked: in real time, the loop would take a core for ten seconds.
  const cutOff = assert.rejects(value("fetch('/begun'); for (;;);"), conflict(/did not end within 10000 ms/));
  await begun;
  t.mock.timers.tick(10_000);
  t.mock.timers.reset();
  await cutOff;
  assert.equal(await value("1 + 1"), 2);
});

test("a page whose script never ends can be left", async () => {
  await visit("/busy");
  await on.profile.page.evaluate({ expression: "setTimeout(() => { for (;;); }, 0)" });
  assert.equal((await visit("/next")).title, "Next");
});

test("a loop that began long after the page's load is ended, and the page is left normally", async () => {
  await visit("/busy");
  const begun = new Promise<void>((resolve) => {
    on.site.onRequest = (path) => path === "/begun" && resolve();
  });
  const loop = "const busy = (ms) => { for (const end = Date.now() + ms; Date.now() < end; ); };";
  const leaves = "onpagehide = () => { sessionStorage.left = 'as always'; };";
  await value(`${loop} ${leaves} void setTimeout(() => { busy(100); fetch('/begun'); for (;;); })`);
  await begun;
  const [before] = await targets();
  assert.equal((await visit("/next")).title, "Next");
  assert.equal(await value("sessionStorage.left"), "as always");
  const [after] = await targets();
  assert.equal(after?.id, before?.id);
});

test("a crashed page gives a conflict until a navigation restores it", async () => {
  await visit("/");
  const pending = assert.rejects(value("new Promise(() => {})"), conflict(/page has crashed/));
  const [page] = await targets();
  const socket = new WebSocket(`${on.cdpUrl.replace("http", "ws")}/devtools/page/${page?.id}`);
  await new Promise((resolve) => socket.once("open", resolve));
  socket.send(JSON.stringify({ id: 1, method: "Page.crash" }));
  await pending;
  socket.close();
  await assert.rejects(value("1"), conflict(/page has crashed/));
  assert.equal((await visit("/next")).title, "Next");
  assert.equal(await value("1 + 1"), 2);
});
