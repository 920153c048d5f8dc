/** Writes values as TypeScript literals. All text in compiled code passes through here. */

/** Longer texts are split, because the Raw contract limits the length of a line. */
const pieceCharsMax = 2_000;

export function quote(text: string): string {
  if (text.length <= pieceCharsMax) return short(text);
  return `[\n${pieces(text)
    .map((piece) => `  ${short(piece)},`)
    .join("\n")}\n].join("")`;
}

function short(text: string): string {
  return JSON.stringify(text).replaceAll("\u2028", "\\u2028").replaceAll("\u2029", "\\u2029");
}

function pieces(text: string): string[] {
  const all: string[] = [];
  for (let at = 0; at < text.length; ) {
    const end = at + pieceCharsMax;
    const code = text.charCodeAt(end - 1);
    const next = code >= 0xd800 && code <= 0xdbff && end < text.length ? end - 1 : end;
    all.push(text.slice(at, next));
    at = next;
  }
  return all;
}

export function insideTemplate(text: string): string {
  if (text.length > pieceCharsMax) return `\${${quote(text)}}`;
  return short(text).slice(1, -1).replaceAll('\\"', '"').replaceAll("`", "\\`").replaceAll("${", "\\${");
}

export function regex(pattern: string): string {
  if (pattern.length > pieceCharsMax) return `new RegExp(${quote(pattern)})`;
  return String(new RegExp(pattern));
}

const identifier = /^[A-Za-z_$][A-Za-z0-9_$]*$/;

export function member(name: string | number): string {
  return typeof name === "string" && identifier.test(name) ? `.${name}` : `[${literal(name)}]`;
}

export function key(name: string): string {
  return identifier.test(name) ? name : quote(name);
}

export function literal(value: string | number | boolean | null): string {
  if (typeof value === "number") return number(value);
  return typeof value === "string" ? quote(value) : String(value);
}

export function number(value: number): string {
  return Number.isInteger(value) && Math.abs(value) >= 10_000 && Math.abs(value) < 1e15
    ? String(value).replaceAll(/\B(?=(\d{3})+$)/g, "_")
    : String(value);
}

export function object(entries: readonly (readonly [string, string])[]): string {
  if (entries.length === 0) return "{}";
  return `{ ${entries.map(([name, code]) => (name === code ? name : `${key(name)}: ${code}`)).join(", ")} }`;
}

export function remark(text: string): string {
  return text.replaceAll(/[\r\n\u2028\u2029]+/g, " ").slice(0, 2_000);
}

/** Reserved words, and names that the emitter uses. Document names must avoid them. */
const taken = new Set(
  `abstract any arguments as async await boolean break case catch class const constructor continue debugger declare default
  delete do else enum eval export extends false finally for from function get if implements import in infer instanceof
  interface is keyof let module namespace never new null number object of package private protected public readonly require
  return satisfies set static string super switch symbol this throw true try type typeof undefined unique unknown var void
  while with yield globalThis process global exports fetch Function WebSocket XMLHttpRequest EventSource JSON Math Number
  String Object Array Date Error RegExp Promise Boolean Symbol Map Set console window document location
  encodeURIComponent setTimeout page variables rows row profile log output sleep scratchDir uploadsDir input vars run args
  context Page Frame Locator ElementHandle Dialog Stop Context TimeoutError errors library`.split(/\s+/),
);
/** A loop over rows calls its current item `row` too. */
const allowed = new Set(["row"]);
const made = /Flow$|^(frame|popup|download|attempt|rounds|opener|items|element|file|dialog|failure)\d*$/;

/** The identifier for a document name. Different names get different identifiers. */
export function identifierFor(name: string, kitNames: ReadonlySet<string>): string {
  const base = name.replace(/_+$/, "");
  if (allowed.has(name)) return name;
  return taken.has(base) || made.test(base) || kitNames.has(base) ? `${name}_` : name;
}
