/** HTML pages of the demo's shop. */
import type { Product } from "./catalog.ts";
import { type Cart, money } from "./shop.ts";

const marks: Record<string, string> = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;", "'": "&#39;" };
const escaped = (text: string) => text.replace(/[&<>"']/g, (mark) => marks[mark] ?? mark);

const style = `
  body { font: 16px/1.5 system-ui, sans-serif; margin: 0; background: #f6f3ee; color: #2b2622; }
  header { display: flex; gap: 1.5rem; align-items: center; padding: 1rem 2rem; background: #2f4a3c; color: #fff; }
  header a { color: #fff; } header form { margin-left: auto; }
  main { max-width: 46rem; margin: 2rem auto; padding: 1.5rem 2rem; background: #fff; border-radius: 12px; }
  label { display: block; margin: .75rem 0; } input, select, button { font: inherit; padding: .4rem .6rem; }
  button { background: #2f4a3c; color: #fff; border: 0; border-radius: 6px; cursor: pointer; }
  table { width: 100%; border-collapse: collapse; } td, th { text-align: left; padding: .5rem; border-bottom: 1px solid #ddd; }
  .amount { text-align: right; } .total { font-weight: bold; font-size: 1.2rem; } .error { color: #a32; }`;

function page(title: string, user: string | null, body: string): string {
  const bar = user
    ? `<a href="/">Catalogue</a> <a href="/cart">Cart</a> <span id="user">${escaped(user)}</span>
       <form action="/search"><input type="search" name="q" aria-label="Search"> <button>Search</button></form>`
    : "";
  return `<!doctype html><html lang="en"><meta charset="utf-8"><title>${escaped(title)} · Corner Shop</title>
<style>${style}</style><header><strong>Corner Shop</strong> ${bar}</header>
<main><h1>${escaped(title)}</h1>${body}</main></html>`;
}

export function loginPage(error: string | null): string {
  const said = error ? `<p class="error" role="alert">${escaped(error)}</p>` : "";
  return page(
    "Log in",
    null,
    `${said}<form method="post" action="/login">
       <label>User <input name="user" autocomplete="username"></label>
       <label>Password <input name="password" type="password" autocomplete="current-password"></label>
       <button>Log in</button></form>`,
  );
}

export function listPage(title: string, user: string, products: readonly Product[]): string {
  const rows = products.map(
    ({ id, name, priceCents }) =>
      `<tr><td><a class="product" href="/product/${id}">${escaped(name)}</a><td class="amount">${money(priceCents)}`,
  );
  return page(title, user, rows.length > 0 ? `<table>${rows.join("")}</table>` : "<p>Nothing found.</p>");
}

export function productPage(user: string, product: Product): string {
  const quantities = [1, 2, 3, 4, 5, 6, 7, 8, 9].map((count) => `<option>${count}</option>`).join("");
  return page(
    product.name,
    user,
    `<p>${escaped(product.about)}</p><p class="total">${money(product.priceCents)}</p>
     <form method="post" action="/cart"><input type="hidden" name="product" value="${product.id}">
       <label>Quantity <select name="quantity">${quantities}</select></label><button>Add to cart</button></form>`,
  );
}

export function cartPage(user: string, cart: Cart): string {
  const rows = cart.lines.map(
    ({ product, quantity }) =>
      `<tr><td>${escaped(product.name)}<td class="amount">${quantity}<td class="amount">${money(product.priceCents * quantity)}`,
  );
  return page(
    "Your cart",
    user,
    `<table><tr><th>Product<th class="amount">Quantity<th class="amount">Price${rows.join("")}
       <tr><td>Shipping<td><td class="amount">${money(cart.shippingCents)}
       <tr class="total"><td>Total<td class="amount" id="items">${cart.items}<td class="amount" id="total"
         data-cents="${cart.totalCents}">${money(cart.totalCents)}</table>`,
  );
}

export function missingPage(user: string): string {
  return page("There is no such page", user, '<p><a href="/">Back to the catalogue</a></p>');
}
