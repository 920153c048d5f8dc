/** Text that others wrote, made harmless for a terminal. */

/** Controls but for tab and line feed, separators of lines and paragraphs, and what turns the direction of the text around it. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: it is what it looks for.
const unsafe = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u2028-\u202e\u2066-\u2069]/g;

/** What a terminal would act on stands as its escape, `\u001b`. JSON stays the same JSON. */
export function forTerminal(text: string): string {
  return text.replace(unsafe, (sign) => `\\u${sign.charCodeAt(0).toString(16).padStart(4, "0")}`);
}

/** The same in one line, for a cell or a name. */
export function forOneLine(text: string): string {
  return forTerminal(text.replace(/\s+/g, " "));
}
