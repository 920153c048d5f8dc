/** Functions of compiled code that are the same for both libraries: values, texts, lists, numbers, dates. */
import type { KitTable } from "./kit-function.ts";

export const sharedKit: KitTable = {
  Stop: {
    text: `/** Ends the run from anywhere. */
class Stop extends Error {
  readonly completed: boolean;

  constructor(completed: boolean, reason: string) {
    super(reason);
    this.completed = completed;
  }
}`,
  },
  required: {
    text: `/** A required variable of the run. */
function required(variables: Record<string, string>, name: string): string {
  const value = variables[name];
  if (value === undefined) throw new Error(\`the variable "\${name}" is required\`);
  return value;
}`,
  },
  at: {
    text: `/** The value at a path; undefined if there is none. */
function at(root: unknown, ...path: (string | number)[]): unknown {
  let value = root;
  for (const step of path) {
    if (typeof value !== "object" || value === null || !Object.hasOwn(value, step)) return undefined;
    value = Reflect.get(value, step);
  }
  return value;
}`,
  },
  value: {
    uses: ["at"],
    text: `/** The value at a path; a missing value fails the step. */
function value(node: string, name: string, root: unknown, ...path: (string | number)[]): unknown {
  const found = at(root, ...path);
  if (found === undefined) throw new Error(\`node \${node}: "\${name}" has no value\`);
  return found;
}`,
  },
  text: {
    text: `/** A value as text: nothing for null, JSON for objects and lists. */
function text(value: unknown): string {
  if (value === undefined || value === null) return "";
  return typeof value === "object" ? JSON.stringify(value) : String(value);
}`,
  },
  isEmpty: {
    text: `/** No value, an empty text or an empty list. */
function isEmpty(value: unknown): boolean {
  return value === undefined || value === null || value === "" || (Array.isArray(value) && value.length === 0);
}`,
  },
  orElse: {
    uses: ["isEmpty"],
    text: `function orElse(value: unknown, other: string): unknown {
  return isEmpty(value) ? other : value;
}`,
  },
  toNumber: {
    uses: ["text"],
    text: `/** Converts a value to a number; other values fail the step. */
function toNumber(node: string, value: unknown): number {
  const trimmed = text(value).trim();
  const number = Number(trimmed);
  if (trimmed === "" || Number.isNaN(number)) throw new Error(\`node \${node}: \${JSON.stringify(value)} is not a number\`);
  return number;
}`,
  },
  toCount: {
    uses: ["toNumber", "text"],
    text: `/** A whole number from 0 to 100000. */
function toCount(node: string, value: unknown): number {
  const count = toNumber(node, value);
  if (!Number.isInteger(count) || count < 0 || count > 100_000)
    throw new Error(\`node \${node}: must be an integer from 0 to 100000, got \${count}\`);
  return count;
}`,
  },
  toList: {
    text: `/** Returns a list; other values fail the step. */
function toList(node: string, value: unknown): unknown[] {
  if (!Array.isArray(value)) throw new Error(\`node \${node}: \${JSON.stringify(value)} is not a list\`);
  return value;
}`,
  },
  sizeOf: {
    uses: ["text"],
    text: `/** The length of a list or of a text. */
function sizeOf(value: unknown): number {
  return Array.isArray(value) ? value.length : text(value).length;
}`,
  },
  contains: {
    uses: ["text"],
    text: `/** Whether a list has an item, or a text a part. */
function contains(whole: unknown, part: unknown): boolean {
  if (Array.isArray(whole)) return whole.some((item) => text(item) === text(part));
  return text(whole).includes(text(part));
}`,
  },
  randomInt: {
    text: `/** An integer from \`min\` to \`max\`. */
function randomInt(min: number, max: number): number {
  return min + Math.floor(Math.random() * (max - min + 1));
}`,
  },
  randomItem: {
    uses: ["randomInt"],
    text: `function randomItem(list: unknown[]): unknown {
  return list[randomInt(0, list.length - 1)];
}`,
  },
  formatDate: {
    uses: ["text"],
    text: `/** An instant in UTC: YYYY MM DD HH mm ss SSS. */
function formatDate(node: string, value: unknown, format: string): string {
  const instant = new Date(typeof value === "number" ? value : text(value));
  if (Number.isNaN(instant.getTime())) throw new Error(\`node \${node}: \${JSON.stringify(value)} is not a date\`);
  const iso = instant.toISOString();
  const parts: Record<string, string> = {
    YYYY: iso.slice(0, 4),
    MM: iso.slice(5, 7),
    DD: iso.slice(8, 10),
    HH: iso.slice(11, 13),
    mm: iso.slice(14, 16),
    ss: iso.slice(17, 19),
    SSS: iso.slice(20, 23),
  };
  return format.replaceAll(/YYYY|MM|DD|HH|mm|SSS|ss/g, (part) => parts[part] ?? part);
}`,
  },
  messageOf: {
    text: `function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}`,
  },
  visibleText: {
    text: `/** The visible text of an element, trimmed. Runs in the page. */
function visibleText(element: Element): string {
  return (element instanceof HTMLElement ? element.innerText : (element.textContent ?? "")).trim();
}`,
  },
  tableRows: {
    text: `/** The cells of a table, trimmed, row by row. Runs in the page. */
function tableRows(table: Element): string[][] {
  return Array.from(table.querySelectorAll("tr"), (row) =>
    Array.from(row.cells, (cell) => (cell.textContent ?? "").trim()),
  );
}`,
  },
  byHeader: {
    text: `/** Rows as objects by the names in the first row. */
function byHeader([header = [], ...rows]: string[][]): Record<string, string>[] {
  return rows.map((row) => Object.fromEntries(header.map((name, index) => [name, row[index] ?? ""])));
}`,
  },
  readFields: {
    text: `/** The fields of one item of a list. Runs in the page. */
function readFields(
  item: Element,
  fields: { name: string; selector?: string; attribute?: string }[],
): Record<string, string | null> {
  const entries = fields.map(({ name, selector, attribute }) => {
    const element = selector === undefined ? item : item.querySelector(selector);
    if (element === null) return [name, null];
    if (attribute !== undefined) return [name, element.getAttribute(attribute)];
    return [name, (element instanceof HTMLElement ? element.innerText : (element.textContent ?? "")).trim()];
  });
  return Object.fromEntries(entries);
}`,
  },
  fetchInPage: {
    text: `/** One request under the page's rules. Runs in the page. */
async function fetchInPage({
  url,
  ...request
}: {
  url: string;
  method: string;
  headers: Record<string, string>;
  body?: string;
}): Promise<{ status: number; headers: Record<string, string>; body: string }> {
  const reply = await fetch(url, request);
  return { status: reply.status, headers: Object.fromEntries(reply.headers), body: await reply.text() };
}`,
  },
  sortCookies: {
    text: `interface Cookie {
  name: string;
  value: string;
  domain: string;
  path: string;
  secure: boolean;
  httpOnly: boolean;
}

/** The cookies of a domain, or all, in an order that does not depend on the library. */
function sortCookies(cookies: (Omit<Cookie, "httpOnly"> & { httpOnly?: boolean })[], wanted: string | null): Cookie[] {
  const bare = (domain: string) => domain.replace(/^\\./, "");
  return cookies
    .filter(({ domain }) => wanted === null || bare(domain) === bare(wanted))
    .map(({ name, value, domain, path, secure, httpOnly = false }) => ({ name, value, domain, path, secure, httpOnly }))
    .sort((a, b) => (JSON.stringify([a.domain, a.path, a.name]) < JSON.stringify([b.domain, b.path, b.name]) ? -1 : 1));
}`,
  },
};
