/** Serves the demo's shop over HTTP on a free loopback port, with forms, redirects and a session cookie. */
import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { catalog, productOf, search } from "./catalog.ts";
import { cartPage, listPage, loginPage, missingPage, productPage } from "./pages.ts";
import { type Customer, openShop, type Shop } from "./shop.ts";

export interface ShopServer {
  url: string;
  shop: Shop;
  close(): Promise<void>;
}

const formBytesMax = 16 * 1024;

async function readForm(request: IncomingMessage): Promise<URLSearchParams> {
  let text = "";
  for await (const chunk of request.setEncoding("utf8")) {
    text += chunk;
    if (text.length > formBytesMax) break;
  }
  return new URLSearchParams(text);
}

function sessionIdOf(request: IncomingMessage): string {
  return /(?:^|;\s*)sid=([0-9a-f]+)/.exec(request.headers.cookie ?? "")?.[1] ?? "";
}

/** A page, or a redirect after a form, so that reloading does not send it twice. */
type Reply = { html: string; status?: number } | { location: string; sessionId?: string };

async function answerLogin(shop: Shop, request: IncomingMessage): Promise<Reply> {
  if (request.method !== "POST") return { html: loginPage(null) };
  const form = await readForm(request);
  const sessionId = shop.login(form.get("user") ?? "", form.get("password") ?? "");
  if (sessionId === null) return { html: loginPage("User or password is wrong."), status: 403 };
  return { location: "/", sessionId };
}

async function answerCart(shop: Shop, user: string, request: IncomingMessage): Promise<Reply> {
  if (request.method !== "POST") {
    shop.saw(user, "looks at the cart");
    return { html: cartPage(user, shop.visitOf(user).cart) };
  }
  const form = await readForm(request);
  const added = shop.add(user, form.get("product") ?? "", Number(form.get("quantity")));
  return added ? { location: "/cart" } : { html: missingPage(user), status: 400 };
}

function answerPage(shop: Shop, user: string, url: URL): Reply {
  if (url.pathname === "/") return { html: listPage("Catalogue", user, catalog) };
  if (url.pathname === "/search") {
    const term = url.searchParams.get("q") ?? "";
    shop.saw(user, `searches for ${term}`);
    return { html: listPage(`Results for “${term}”`, user, search(term)) };
  }
  const product = productOf(url.pathname.replace(/^\/product\//, ""));
  if (!product) return { html: missingPage(user), status: 404 };
  shop.saw(user, `looks at ${product.name}`);
  return { html: productPage(user, product) };
}

async function answer(shop: Shop, request: IncomingMessage): Promise<Reply> {
  const url = new URL(request.url ?? "/", "http://shop.invalid");
  if (url.pathname === "/login") return answerLogin(shop, request);
  const user = shop.userOf(sessionIdOf(request));
  if (user === null) return { location: "/login" };
  if (url.pathname === "/cart") return answerCart(shop, user, request);
  return answerPage(shop, user, url);
}

function send(response: ServerResponse, reply: Reply): void {
  if ("html" in reply) {
    const headers = { "content-type": "text/html; charset=utf-8", "cache-control": "no-store" };
    response.writeHead(reply.status ?? 200, headers).end(reply.html);
    return;
  }
  if (reply.sessionId !== undefined) {
    response.setHeader("set-cookie", `sid=${reply.sessionId}; Path=/; HttpOnly; SameSite=Lax`);
  }
  response.writeHead(303, { location: reply.location }).end();
}

export async function startShop(customers: readonly Customer[]): Promise<ShopServer> {
  const shop = openShop(customers);
  const server = createServer((request, response) => {
    answer(shop, request).then(
      (reply) => send(response, reply),
      (error: unknown) => response.writeHead(500, { "content-type": "text/plain" }).end(String(error)),
    );
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo; // TCP servers have no other kind of address.
  return {
    url: `http://127.0.0.1:${port}`,
    shop,
    async close() {
      server.close();
      server.closeAllConnections();
      await once(server, "close");
    },
  };
}
