/** A repeated snapshot equals a full one after any change, and avoids a full fetch after small ones. */
import assert from "node:assert/strict";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { after, before, test } from "node:test";
import type { OpenBrowser } from "../../actors/profile/open-browser.ts";
import { AxCache, type TreeSource } from "../../actors/profile/page/ax-cache.ts";
import { AxTree } from "../../actors/profile/page/ax-tree.ts";
import { Elements } from "../../actors/profile/page/elements.ts";
import { navigate } from "../../actors/profile/page/navigate.ts";
import { snapshot } from "../../actors/profile/page/snapshot.ts";
import { snapshotText } from "../../actors/profile/page/snapshot-cut.ts";
import type { Tab } from "../../actors/profile/page/tab.ts";
import { mixedPage } from "./fixture/mixed-page.ts";
import { makeDir, openTestBrowser, removeDir } from "./fixture/profile.ts";

const big = `<!doctype html><meta charset="utf-8"><title>Big</title><main><h1>Big</h1><ul>${Array.from(
  { length: 400 },
  (_, at) =>
    `<li id="r${at}"><a href="/${at}">Row ${at}</a> <button>Buy</button> <span>text ${at}</span></li>`,
).join("")}</ul></main>`;

/** Long, so that a busy browser's late reply does not cause a full fetch. */
const patienceMs = 30_000;

let dir: string;
let server: Server;
let origin: string;
let browser: OpenBrowser;
let tab: Tab;
let elements: Elements;

before(async () => {
  dir = await makeDir();
  server = createServer((request, response) => {
    response.setHeader("content-type", "text/html; charset=utf-8");
    response.end(request.url === "/big" ? big : mixedPage);
  });
  await new Promise<void>((resolve) => server.listen(0, resolve));
  origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  browser = await openTestBrowser(dir);
  tab = await browser.tabs.current();
  await tab.ready;
  elements = new Elements(browser.tabs);
});
after(async () => {
  await browser.close();
  await new Promise((resolve) => server.close(resolve).closeAllConnections());
  await removeDir(dir);
});

const full: TreeSource = {
  async tree(_, frame) {
    const { nodes } = await frame.session.send("Accessibility.getFullAXTree", { frameId: frame.id });
    return new AxTree(nodes);
  },
};
const textFrom = async (source: TreeSource) => snapshotText("", await snapshot(tab, elements, source), {});
const run = async (expression: string) => {
  const reply = await tab.session.send("Runtime.evaluate", {
    expression,
    awaitPromise: true,
    userGesture: true,
  });
  assert.equal(reply.exceptionDetails, undefined, expression);
};
const key = async (text: string) => {
  await tab.session.send("Input.insertText", { text });
};

/** Expressions for the page; true: the snapshot must differ afterwards. */
const changes: readonly (readonly [expression: string, shows: boolean])[] = [
  ["bold.firstChild.data = 'bolder'", true],
  ["para.append(' and more')", true],
  ["head.textContent = 'Heading'", true],
  ["link.href = '/b'", true],
  ["link.setAttribute('aria-current', 'page')", false],
  ["mail.value = 'set by script'", true],
  ["mail.focus()", true],
  ["tick.checked = true", true],
  ["tick.indeterminate = true", true],
  ["r2.checked = true", true],
  ["r1.checked = true", true],
  ["sel.selectedIndex = 1", true],
  ["area.value = 'area'", true],
  ["mail.required = true", true],
  ["mail.setAttribute('aria-invalid', 'true')", true],
  ["set.disabled = true", true],
  ["set.disabled = false", true],
  ["face.textContent = 'Pushed'", true],
  ["push.setAttribute('aria-pressed', 'true')", true],
  ["push.setAttribute('aria-expanded', 'false')", true],
  ["lab.textContent = 'Post'", true],
  ["legend.textContent = 'Caption'", true],
  ["wrap.firstChild.data = 'Around '", true],
  ["far.textContent = 'Far changed'", true],
  ["far.style.display = 'none'", true],
  ["named.setAttribute('aria-label', 'x')", false],
  ["two.remove()", true],
  ["list.append(Object.assign(document.createElement('li'), { textContent: 'Four' }))", true],
  ["list.prepend(list.lastChild)", true],
  ["cell.textContent = 'Cell'", true],
  ["det.open = true", true],
  ["dia.showModal()", true],
  ["dia.close()", true],
  ["pop.showPopover()", true],
  ["pop.hidePopover()", true],
  ["edit.firstChild.data = 'edited'", true],
  ["host.shadowRoot.getElementById('sp').textContent = 'Shade'", true],
  ["host.shadowRoot.getElementById('si').value = 'deep'", true],
  ["host.append('slotted')", true],
  ["box.attachShadow({ mode: 'open' }).innerHTML = '<p>New root</p><slot></slot>'", true],
  ["box.shadowRoot.append('more')", true],
  ["frame.contentDocument.getElementById('p').textContent = 'In frame'", true],
  ["frame.contentDocument.getElementById('i').value = 'in frame'", true],
  ["para.style.visibility = 'hidden'", true],
  ["para.style.visibility = ''", true],
  ["words.classList.add('gone')", true],
  ["words.classList.remove('gone')", true],
  ["para.classList.add('on')", true],
  ["hov.focus()", true],
  ["document.styleSheets[0].insertRule('#svg { display: none }')", true],
  ["document.styleSheets[0].insertRule('h1::after { content: \" !\" }')", true],
  [
    "document.adoptedStyleSheets = [new CSSStyleSheet()], document.adoptedStyleSheets[0].replaceSync('#head { text-transform: uppercase }')",
    true,
  ],
  ["document.adoptedStyleSheets[0].replaceSync('#table { visibility: collapse }')", true],
  ["list.setAttribute('aria-hidden', 'true')", true],
  ["list.removeAttribute('aria-hidden')", true],
  ["form.inert = true", true],
  ["form.inert = false", true],
  ["img.alt = 'Other'", true],
  ["img.remove()", true],
  ["main.append(window.role = document.createElement('x-role'))", true],
  ["role.internals.ariaLabel = 'Renamed'", true],
  ["role.internals.ariaChecked = 'true'", true],
  ["window.shut = shutter.attachShadow({ mode: 'closed' }), shut.innerHTML = '<p>Closed words</p>'", true],
  ["shut.firstChild.textContent = 'Closed and changed'", true],
  ["light.attachShadow({ mode: 'closed' }).innerHTML = '<p>In the light</p>'", true],
  ["filler.style.height = '300px'", false],
  ["history.pushState(null, '', '/deep/er')", false],
  ["document.body.append(document.createElement('script'))", false],
  ["list.replaceWith(list.cloneNode(true))", true],
  ["document.body.innerHTML = '<p>All new</p>'", true],
];

test("a repeated snapshot is the same as a full one after every kind of change", async () => {
  await navigate(browser.tabs, tab, `${origin}/`);
  const cache = new AxCache(patienceMs);
  let last = await textFrom(cache);
  for (const [expression, shows] of changes) {
    await run(expression);
    const repeated = await textFrom(cache);
    assert.equal(repeated, await textFrom(full), expression);
    if (shows) assert.notEqual(repeated, last, `${expression} shows nothing`);
    last = repeated;
  }
  // Without this, a cache that keeps nothing would pass.
  assert.ok(cache.counts.parts > changes.length / 3, JSON.stringify(cache.counts));
});

test("a repeated snapshot contains what a user types and clicks", async () => {
  await navigate(browser.tabs, tab, `${origin}/`);
  const cache = new AxCache(patienceMs);
  await textFrom(cache);
  for (const id of ["mail", "area", "edit", "inner"]) {
    await run(`document.getElementById("${id}").focus()`);
    await key(`typed in ${id}`);
    const repeated = await textFrom(cache);
    assert.match(repeated, new RegExp(`typed in ${id}`));
    assert.equal(repeated, await textFrom(full));
  }
});

test("an unchanged page causes no fetch, and a small change only a fetch of that part", async () => {
  await navigate(browser.tabs, tab, `${origin}/big`);
  const cache = new AxCache(patienceMs);
  const first = await textFrom(cache);
  assert.deepEqual(cache.counts, { whole: 1, parts: 0, none: 0 });
  assert.equal(await textFrom(cache), first);
  assert.deepEqual(cache.counts, { whole: 1, parts: 0, none: 1 });
  await run("r5.querySelector('span').textContent = 'changed'; r9.querySelector('button').disabled = true");
  const second = await textFrom(cache);
  assert.deepEqual(cache.counts, { whole: 1, parts: 1, none: 1 });
  assert.equal(second, await textFrom(full));
  await run("r7.remove()");
  assert.equal(await textFrom(cache), await textFrom(full));
  assert.deepEqual(cache.counts, { whole: 1, parts: 2, none: 1 });
});

test("ids stay the same after partial fetches, and a replaced element gets a new one", async () => {
  await navigate(browser.tabs, tab, `${origin}/big`);
  const cache = new AxCache(patienceMs);
  const idOf = (text: string, name: string) => new RegExp(`link "${name}" \\[id=(\\d+)\\]`).exec(text)?.[1];
  const first = await textFrom(cache);
  await run("r3.querySelector('span').textContent = 'x'; r4.replaceWith(r4.cloneNode(true))");
  const second = await textFrom(cache);
  assert.equal(idOf(second, "Row 3"), idOf(first, "Row 3"));
  assert.notEqual(idOf(second, "Row 4"), idOf(first, "Row 4"));
});

const mishaps = [
  "e.textContent = 't' + n",
  "e.append('more' + n)",
  "e.remove()",
  "e.hidden = !e.hidden",
  "e.style.display = ['', 'none', 'inline', 'contents'][n % 4]",
  "e.style.visibility = e.style.visibility ? '' : 'hidden'",
  "e.style.overflow = 'auto', e.style.height = '20px'",
  "e.style.contentVisibility = e.style.contentVisibility ? '' : 'hidden'",
  "e.setAttribute('aria-label', 'l' + n)",
  "e.setAttribute('role', ['button', 'list', 'heading', 'none', 'textbox', 'tab', 'img'][n % 7])",
  "e.removeAttribute('role')",
  "e.setAttribute('aria-hidden', n % 2 ? 'true' : 'false')",
  "e.setAttribute('aria-expanded', n % 2 ? 'true' : 'false')",
  "e.id = 'i' + n",
  "e.setAttribute('aria-labelledby', 'i' + n)",
  "e.setAttribute('aria-owns', 'i' + n)",
  "e.value = 'v' + n",
  "e.checked = !e.checked",
  "e.disabled = !e.disabled",
  "e.inert = !e.inert",
  "e.open = !e.open",
  "e.focus()",
  "e.tabIndex = n % 3 - 1",
  "e.before(e.cloneNode(true))",
  "e.parentNode.append(e)",
  "e.setAttribute('contenteditable', '')",
  "e.popover = 'auto', e.togglePopover()",
  "e.insertAdjacentHTML('beforeend', '<label>La' + n + ' <input></label><details><summary>S</summary>x</details>')",
];

test("a repeated snapshot is the same as a full one after random changes of random elements", async () => {
  let state = 4_711;
  const next = (below: number) => {
    state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0;
    return (state >>> 8) % below;
  };
  for (let round = 0; round < 3; round++) {
    await navigate(browser.tabs, tab, `${origin}/`);
    const cache = new AxCache(patienceMs);
    await textFrom(cache);
    for (let step = 0; step < 30; step++) {
      const mishap = mishaps[next(mishaps.length)];
      const pick = `const all = document.body.querySelectorAll(":not(script, style)"), e = all[${next(9_973)} % all.length], n = ${next(20)};`;
      await run(`(() => { ${pick} try { ${mishap} } catch {} })()`);
      assert.equal(await textFrom(cache), await textFrom(full), `round ${round}, step ${step}: ${mishap}`);
    }
  }
});
