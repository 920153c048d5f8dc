/** Makes text of others safe for a terminal. */

/** Control characters except tab and line feed, separators of lines and paragraphs, and controls of text direction. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: it is what it looks for.
const unsafe = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u2028-\u202e\u2066-\u2069]/g;

/** Escapes them as `\u001b`, so that JSON stays the same JSON. */
export function forTerminal(text: string): string {
  return text.replace(unsafe, (sign) => `\\u${sign.charCodeAt(0).toString(16).padStart(4, "0")}`);
}

/** As `forTerminal`, on one line. */
export function forOneLine(text: string): string {
  return forTerminal(text.replace(/\s+/g, " "));
}
