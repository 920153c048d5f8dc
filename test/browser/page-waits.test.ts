/** wait-for: elements, texts, the address and the load, and what does not hold in time. */
import assert from "node:assert/strict";
import type { ServerResponse } from "node:http";
import { test } from "node:test";
import type { WaitForBody } from "../../protocol/verbs/wait-for.ts";
import { conflict } from "../conflict.ts";
import { ownServer } from "./fixture/own-server.ts";
import { shownPage } from "./fixture/shown-page.ts";

const page = shownPage();
let held: ServerResponse | null = null;
let heldSoon = (): void => {};
const server = ownServer((request, response) => {
  if (request.url === "/held") {
    held = response;
    heldSoon();
  } else
    response
      .setHeader("content-type", "text/html")
      .end(
        `<!doctype html><title>${request.url}</title><p>There<script>document.write(location.pathname === "/loads" ? "<img src=/held>" : "")</script>`,
      );
});

const wait = (input: WaitForBody) => page.verbs.waitFor({ timeout_ms: 5_000, ...input });
const now = (input: WaitForBody) => wait({ ...input, timeout_ms: 0 });
/** Does it once the wait has begun, seen by its first look into the page. */
const meanwhile = (change: string) => page.value(`setTimeout(() => { ${change} }, 150); 0`);

test("an element is waited for until it is shown, and its id is given", async () => {
  await page.show(
    `<button class="b" hidden>One</button><button class="b" id="two" style="visibility:hidden" onclick="document.title = 'pressed'">Two</button>`,
  );
  await assert.rejects(
    now({ selector: ".b" }),
    conflict(/^selector: what matches "\.b" is hidden after 0 ms$/),
  );
  await assert.rejects(now({ selector: ".c" }), conflict(/^selector: nothing matches "\.c" after 0 ms$/));
  await meanwhile("two.style.visibility = 'visible'");
  const { node_id = -1 } = await wait({ selector: ".b" });
  assert.equal((await page.verbs.click({ node_id })).title, "pressed");
});

test("each state of an element is its own: attached, hidden, detached", async () => {
  await page.show(`<p id="p" hidden>words</p><p id="q">more</p>`);
  assert.equal(typeof (await now({ selector: "#p", state: "attached" })).node_id, "number");
  assert.equal((await now({ selector: "#p", state: "hidden" })).node_id, undefined);
  assert.equal((await now({ selector: "#none", state: "hidden" })).node_id, undefined);
  await assert.rejects(now({ selector: "#p", state: "detached" }), conflict(/"#p" is still there/));
  await assert.rejects(now({ selector: "#q", state: "hidden" }), conflict(/"#q" is still visible/));
  await meanwhile("p.remove(); q.style.display = 'none'");
  await wait({ selector: "#p", state: "detached" });
  await wait({ selector: "#q", state: "hidden" });
  assert.equal(await page.value("document.querySelector('#p') === null && q.getClientRects().length"), 0);
});

test("a text is waited for as a person reads it, also in shadow roots, frames and buttons", async () => {
  await page.show(`<p>Order <b>number</b>\n 7</p><p hidden>secret</p><input type="submit" value="Pay now"><x-a></x-a>
    <iframe srcdoc="<p>in the frame"></iframe><iframe style="display:none" srcdoc="<p>unseen frame"></iframe><output id="o"></output>
    <script>document.querySelector("x-a").attachShadow({ mode: "open" }).innerHTML = "<span>in the shadow</span>";</script>`);
  for (const text of ["order number 7", "pay now", "in the shadow", "in the frame"]) await wait({ text });
  for (const text of ["secret", "unseen frame", "order number 8"])
    await assert.rejects(now({ text }), conflict(new RegExp(`^text: "${text}" is not shown after 0 ms$`)));
  await assert.rejects(now({ text_gone: "Order" }), conflict(/^text_gone: "Order" is still shown/));
  await meanwhile("o.textContent = 'Saved'");
  await wait({ text: "saved" });
  await meanwhile("o.textContent = ''");
  await wait({ text_gone: "Saved" });
  assert.equal(await page.value("o.textContent"), "");
});

test("an address is waited for, by a glob or a regular expression, also one that the page sets itself", async () => {
  await page.verbs.navigate({ url: `${server.origin}/shop/cart?x=1` });
  for (const url of [
    "**/cart?x=1",
    `${server.origin}/*/cart**`,
    "**/{cart,basket}?*",
    "/SHOP.cart/i",
    `${server.origin}/shop/cart?x=1`,
  ])
    await now({ url });
  for (const url of ["*/cart?x=1", "**/cart", `${server.origin}/*`, "/^shop/", "**/cart_x=1"])
    await assert.rejects(
      now({ url }),
      conflict(/^url: the page is at http:\S+\/shop\/cart\?x=1, which does not match "/),
    );
  await meanwhile("history.pushState(null, '', '/done#part')");
  assert.equal((await wait({ url: "**/done#part" })).url, `${server.origin}/done#part`);
  await meanwhile("location.href = '/next'");
  assert.equal((await wait({ url: "**/next", text: "There", load: "load" })).title, "/next");
});

test("the load is waited for, up to its end and to a quiet network", async () => {
  const asked = new Promise<void>((resolve) => {
    heldSoon = resolve;
  });
  await page.verbs.navigate({ url: `${server.origin}/first` });
  await page.value("setTimeout(() => { location.href = '/loads'; }, 0); 0");
  await asked;
  await wait({ load: "domcontentloaded", url: "**/loads" });
  await assert.rejects(
    now({ load: "load" }),
    conflict(/^load: the page has not reached load, but readyState interactive/),
  );
  held?.end();
  await wait({ load: "load" });
  await wait({ load: "network_idle" });
  assert.equal(await page.value("document.readyState"), "complete");
});

test("all conditions hold at once, and the one that does not is named", async () => {
  await page.show(`<p id="p">Loading</p>`);
  const both = { selector: "#p", text: "Ready", text_gone: "Loading", load: "load" as const };
  await assert.rejects(
    wait({ ...both, timeout_ms: 120 }),
    conflict(/^text: "Ready" is not shown after 120 ms$/),
  );
  await meanwhile("p.textContent = 'Ready'");
  assert.equal((await wait(both)).node_id, await page.find("#p"));
});

test("a call without a condition, and one that cannot be read, is refused by its field", async () => {
  await page.show("<p>words");
  const invalid = (input: WaitForBody, message: RegExp) =>
    assert.rejects(now(input), { name: "Fault", kind: "invalid", message });
  await invalid({}, /^at least one of selector, text, text_gone, url, load is required$/);
  await invalid({ state: "hidden" }, /^state must come with a selector, got "hidden" alone$/);
  await invalid({ selector: "##" }, /^selector "##" is not valid CSS: SyntaxError/);
  await invalid({ url: "/(/" }, /^url must be a glob such as .* got "\/\(\/": Invalid regular expression/);
  await page.verbs.navigate({ url: `${server.origin}/${"a".repeat(40)}!` });
  await invalid({ url: "/(a+)+$/" }, /^url must be a pattern that is quick to match/);
});
