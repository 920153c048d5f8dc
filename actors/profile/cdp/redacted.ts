/** DevTools messages for people: their shape, methods and numbers, without what users typed, pages contain, or headers keep secret. */
import { withoutSecrets } from "../../../protocol/without-secrets.ts";

/** Fields whose texts and numbers are left out, at any depth below: typed text, values, code, bodies, names and passwords. */
const hidden = new Set(
  [
    "value text unmodifiedText key code keyIdentifier windowsVirtualKeyCode nativeVirtualKeyCode commands",
    "data body postData postDataEntries bytes payload payloadData base64EncodedData",
    "expression functionDeclaration source scriptSource outerHTML nodeValue selectionText urlFragment",
    "userInput promptText defaultPrompt newValue oldValue username password",
    "title message description html query nodeName", // Chromium gives an untitled page its address as title.
    "cookieLine headersText requestHeadersText privateKey userHandle largeBlob card address addresses",
  ].flatMap((names) => names.split(" ")),
);

/** Of headers, only these keep their value. */
const plainHeader =
  /^:?(accept|accept-(encoding|language|ranges)|age|cache-control|connection|content-(encoding|language|length|type)|date|etag|expires|host|last-modified|method|pragma|scheme|sec-(ch-ua|fetch)-?[\w-]*|server|status|upgrade|user-agent|vary)$/i;

/** A value of a message, to be written as JSON. */
export function redacted(value: unknown): unknown {
  if (typeof value === "string") return plain(value);
  if (Array.isArray(value)) return value.map(redacted);
  if (typeof value !== "object" || value === null) return value;
  return mapped(value, (name, field) => {
    if (hidden.has(name)) return hide(field);
    if (/headers$/i.test(name) && !Array.isArray(field)) return headers(field);
    return redacted(field);
  });
}

/** Keeps the shape: a text is replaced by its length. */
function hide(value: unknown): unknown {
  if (typeof value === "string") return `[${value.length} characters]`;
  if (typeof value === "number") return "[number]";
  if (Array.isArray(value)) return value.map(hide);
  return typeof value === "object" && value !== null ? mapped(value, (_name, field) => hide(field)) : value;
}

function headers(value: unknown): unknown {
  if (typeof value !== "object" || value === null) return hide(value);
  return mapped(value, (name, field) => (plainHeader.test(name) ? redacted(field) : hide(field)));
}

function mapped(value: object, of: (name: string, field: unknown) => unknown): object {
  return Object.fromEntries(Object.entries(value).map(([name, field]) => [name, of(name, field)]));
}

/** Queries and fragments of addresses often carry keys of sessions; `data:` addresses are documents. */
function plain(text: string): string {
  const short = text
    .replace(/\b(data:[\w/+.-]{0,80})[^\s]*/gi, "$1[…]")
    .replace(/(\b[a-z][a-z0-9+.-]*:\/\/[^\s?#]*)[?#][^\s]*/gi, "$1[…]");
  return withoutSecrets(short);
}
