/** The data of the demo's shop: customers, sessions, carts and prices. */
import { randomBytes } from "node:crypto";
import { type Product, productOf } from "./catalog.ts";

export interface Customer {
  user: string;
  password: string;
}

export interface CartLine {
  product: Product;
  quantity: number;
}

/** Amounts in cents. */
export interface Cart {
  lines: CartLine[];
  items: number;
  goodsCents: number;
  shippingCents: number;
  totalCents: number;
}

export interface Visit {
  cart: Cart;
  lastStep: string;
  /** Number of log-ins; one if the customer's cookie was kept. */
  logins: number;
}

export interface Shop {
  login(user: string, password: string): string | null;
  userOf(sessionId: string): string | null;
  /** Returns false for an unknown product or a quantity outside 1 to 9. */
  add(user: string, productId: string, quantity: number): boolean;
  saw(user: string, step: string): void;
  visitOf(user: string): Visit;
}

const freeShippingFromCents = 7500;
const shippingCents = 490;
const quantityMax = 9;

function addUp(lines: CartLine[]): Cart {
  const goodsCents = lines.reduce((sum, line) => sum + line.product.priceCents * line.quantity, 0);
  const shipping = goodsCents === 0 || goodsCents >= freeShippingFromCents ? 0 : shippingCents;
  return {
    lines,
    items: lines.reduce((sum, line) => sum + line.quantity, 0),
    goodsCents,
    shippingCents: shipping,
    totalCents: goodsCents + shipping,
  };
}

export function openShop(customers: readonly Customer[]): Shop {
  const sessions = new Map<string, string>();
  const books = new Map(
    customers.map(({ user, password }) => [
      user,
      { password, quantities: new Map<string, number>(), lastStep: "", logins: 0 },
    ]),
  );
  const bookOf = (user: string) => {
    const book = books.get(user);
    if (!book) throw new Error(`the shop knows no customer ${user}`);
    return book;
  };
  return {
    login(user, password) {
      const book = books.get(user);
      if (book?.password !== password) return null;
      book.logins += 1;
      book.lastStep = "logged in";
      const sessionId = randomBytes(16).toString("hex");
      sessions.set(sessionId, user);
      return sessionId;
    },
    userOf: (sessionId) => sessions.get(sessionId) ?? null,
    add(user, productId, quantity) {
      const product = productOf(productId);
      if (!product || !Number.isInteger(quantity) || quantity < 1 || quantity > quantityMax) return false;
      const book = bookOf(user);
      book.quantities.set(productId, (book.quantities.get(productId) ?? 0) + quantity);
      book.lastStep = `put ${quantity} × ${product.name} into the cart`;
      return true;
    },
    saw(user, step) {
      bookOf(user).lastStep = step;
    },
    visitOf(user) {
      const { quantities, lastStep, logins } = bookOf(user);
      const lines = [...quantities].flatMap(([id, quantity]) => {
        const product = productOf(id);
        return product ? [{ product, quantity }] : [];
      });
      return { cart: addUp(lines), lastStep, logins };
    },
  };
}

export function money(cents: number): string {
  return `€ ${(cents / 100).toFixed(2)}`;
}
