/** Marks text that a page, script, dataset or proxy chose, so that an agent does not take it for instructions. */
import { type Fault, faultKinds, type Quote } from "../../protocol/faults.ts";
import { limits } from "../../protocol/limits.ts";
import type { Route } from "../route.ts";

type Whose = Route["quotes"];

/** The reply as text, marked as a whole if it can contain text of others. */
export function replyText(whose: Whose, body: object): string {
  if (whose === null) return cut(JSON.stringify(body)).join("");
  const [shown, note] = cut(whose === "page" ? pageText(body) : JSON.stringify(body));
  const source = whose === "page" ? `origin=${JSON.stringify(originOf(body))}` : `source="${whose}"`;
  return `<page-content ${source}>\n${neutral(shown)}\n</page-content>${note}`;
}

/** The fault as over REST, with the page's text marked. An internal error's text can come from anywhere: all of it is marked. */
export function faultWords(whose: Whose, { kind, message, quotes }: Fault): string {
  const marked: readonly Quote[] = kind === "internal" && whose !== null ? [[0, message.length]] : quotes;
  let text = `${faultKinds[kind].prefix}: `;
  let at = 0;
  for (const [from, to] of marked) {
    const [shown, note] = cut(message.slice(from, to));
    text += `${message.slice(at, from)}<page-content>${neutral(shown)}</page-content>${note}`;
    at = to;
  }
  return text + message.slice(at);
}

/** A snapshot is readable as it is, and begins with title and URL. */
function pageText(body: object): string {
  const { snapshot, url, title, ...more }: Record<string, unknown> = { ...body };
  if (typeof snapshot !== "string") return JSON.stringify(body);
  return Object.keys(more).length === 0 ? snapshot : `${snapshot}\n${JSON.stringify(more)}`;
}

function originOf(body: object): string {
  const url = "url" in body ? body.url : null;
  return typeof url === "string" && URL.canParse(url) ? new URL(url).origin : "unknown";
}

function cut(text: string): [shown: string, note: string] {
  const max = limits.mcpTextCharsMax;
  if (text.length <= max) return [text, ""];
  return [text.slice(0, max), `\n… cut after ${max} of ${text.length} characters`];
}

const angles = "<＜﹤‹〈〈⟨❮˂";
/** Signs between an angle and the name: no visible letters or digits. */
const between = `(?:(?=[^\\p{L}\\p{N}]|\\p{DI})[^>${angles}])*`;
const markLike = new RegExp(
  `[${angles}](?!/(?![Pp][Aa][Gg][Ee])[A-Za-z][A-Za-z0-9]*>)(?=${between}(?:[/／\\\\⁄∕╱]|[Pp][Aa][Gg][Ee]${between}[Cc][Oo]))`,
  "gu",
);

/**
 * Text that cannot close its mark: every angle before a slash is escaped, except in an ordinary end tag such as `</div>`, and every angle
 * before something like the mark's name. JSON stays the same JSON.
 */
export function neutral(text: string): string {
  return text.replace(markLike, (sign) => `\\u${sign.charCodeAt(0).toString(16).padStart(4, "0")}`);
}
