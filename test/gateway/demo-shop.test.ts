/** The demo's shop over real HTTP, by a client with forms, redirects and one cookie but no scripts. */
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { request } from "undici";
import { problemOf, tableOf } from "../../bench/demo/report.ts";
import { type ShopServer, startShop } from "../../bench/demo/shop/server.ts";
import { shoppers, variablesFor } from "../../bench/demo/shoppers.ts";

let server: ShopServer;
before(async () => {
  server = await startShop(shoppers(3));
});
after(() => server.close());

async function send(path: string, cookie: string, form?: Record<string, string>) {
  const reply = await request(`${server.url}${path}`, {
    method: form ? "POST" : "GET",
    headers: { cookie, "content-type": "application/x-www-form-urlencoded" },
    body: form ? new URLSearchParams(form).toString() : null,
  });
  return { status: reply.statusCode, headers: reply.headers, html: await reply.body.text() };
}

async function logIn(index: number): Promise<string> {
  const { user = "", password = "" } = shoppers(3)[index] ?? {};
  const { status, headers } = await send("/login", "", { user, password });
  assert.equal(status, 303);
  return String(headers["set-cookie"]).split(";")[0] ?? "";
}

describe("the demo's shop", () => {
  test("redirects a visitor without a session to the log-in from every page", async () => {
    for (const path of ["/", "/cart", "/search?q=lamp", "/product/lamp"]) {
      const { status, headers } = await send(path, "sid=00");
      assert.deepEqual([status, headers.location], [303, "/login"]);
    }
  });

  test("refuses a wrong password with 403, an alert and no session", async () => {
    const { status, headers, html } = await send("/login", "", { user: "ada", password: "wrong" });
    assert.equal(status, 403);
    assert.equal(headers["set-cookie"], undefined);
    assert.match(html, /role="alert"/);
  });

  test("finds products by a part of their name, and shows a message when there is none", async () => {
    const cookie = await logIn(0);
    assert.match(
      (await send("/search?q=LAMP", cookie)).html,
      /href="\/product\/lamp".*href="\/product\/desk-lamp"/s,
    );
    assert.match((await send("/search?q=%3Cb%3E", cookie)).html, /“&lt;b&gt;”.*Nothing found/s);
  });

  test("adds up each customer's own cart, with shipping below 75 euros", async () => {
    const [ada, blaise] = [await logIn(0), await logIn(1)];
    await send("/cart", ada, { product: "candle", quantity: "2" });
    await send("/cart", blaise, { product: "blanket", quantity: "1" });
    assert.match((await send("/cart", ada)).html, /data-cents="2480">€ 24\.80/);
    assert.match((await send("/cart", blaise)).html, /data-cents="7900">€ 79\.00/);
    assert.equal(server.shop.visitOf("ada").cart.totalCents, 2 * 995 + 490);
    assert.equal(server.shop.visitOf("blaise").cart.items, 1);
  });

  test("refuses an unknown product and a quantity out of range", async () => {
    const cookie = await logIn(2);
    for (const form of [
      { product: "yacht", quantity: "1" },
      { product: "lamp", quantity: "0" },
      { product: "lamp", quantity: "1.5" },
    ]) {
      assert.equal((await send("/cart", cookie, form)).status, 400);
    }
    assert.equal(server.shop.visitOf("carla").cart.items, 0);
  });
});

describe("the demo's report", () => {
  const part = {
    profileId: "",
    status: "completed" as const,
    error: null,
    startedAt: "2026-01-01T00:00:00.000Z",
    completedAt: "2026-01-01T00:00:02.500Z",
    result: { user: "ada", items: 1, totalCents: 1480 },
    output: [],
    log: [],
    files: [],
    launchMs: 321.4,
    isolation: "lock" as const,
  };
  const cart = { lines: [], items: 1, goodsCents: 990, shippingCents: 490, totalCents: 1480 };
  const good = {
    name: "Shopper 1",
    user: "ada",
    part,
    visit: { cart, lastStep: "", logins: 1 },
    screenshot: "a.png",
  };

  test("finds no problem when script and shop agree, and shows the times", () => {
    assert.equal(problemOf(good), null);
    assert.match(tableOf([good]), /ada\s+1\s+€ 14\.80\s+as the shop counts\s+321 ms\s+2500 ms\s+a\.png/);
  });

  test("names each problem", () => {
    const failed = { ...part, status: "failed" as const, error: "no such element" };
    const counted = { ...good.visit, cart: { ...cart, items: 2 } };
    assert.match(problemOf({ ...good, part: failed }) ?? "", /failed: no such element/);
    assert.match(problemOf({ ...good, visit: counted }) ?? "", /read 1 items .* the shop counts 2/);
    assert.match(problemOf({ ...good, user: "blaise" }) ?? "", /shopped as ada, not as blaise/);
    assert.match(problemOf({ ...good, visit: { ...good.visit, logins: 2 } }) ?? "", /2 log-ins/);
    assert.match(problemOf({ ...good, screenshot: null }) ?? "", /no screenshot/);
    assert.match(tableOf([{ ...good, part: failed }]), /WRONG/);
  });
});

test("the demo's shoppers have different names and their own variables", () => {
  const all = shoppers(10);
  assert.equal(new Set(all.map(({ user }) => user)).size, 10);
  const variables = variablesFor(all, "http://shop.invalid");
  assert.deepEqual([variables.user_3, variables.user_10], ["carla", "blaise-2"]);
  assert.deepEqual(JSON.parse(variables.list_5 ?? ""), [
    { search: "desk lamp", quantity: 1 },
    { search: "notebook", quantity: 1 },
  ]);
});
