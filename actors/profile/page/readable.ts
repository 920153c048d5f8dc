/** HTML of `readableHtml` as Markdown or plain text. The library is loaded with the first text. */
import type TurndownService from "turndown";
import type { TextQuery } from "../../../protocol/verbs/text.ts";

type Format = NonNullable<TextQuery["format"]>;

const services = new Map<Format, Promise<TurndownService>>();

export async function readable(html: string, format: Format): Promise<string> {
  const known = services.get(format) ?? serviceOf(format);
  services.set(format, known);
  const text = (await known).turndown(html);
  return text
    .replace(/[ \t\u00a0]+$/gm, "")
    .replace(/\n{3,}/g, "\n\n")
    .trim();
}

async function serviceOf(format: Format): Promise<TurndownService> {
  const { default: Turndown } = await import("turndown");
  if (format === "markdown") {
    const { gfm } = await import("@joplin/turndown-plugin-gfm");
    return new Turndown({
      headingStyle: "atx",
      codeBlockStyle: "fenced",
      bulletListMarker: "-",
      hr: "---",
    }).use(gfm);
  }
  const plain = new Turndown({ bulletListMarker: "-", hr: "" });
  plain.escape = (text) => text;
  const content = ["a", "b", "strong", "i", "em", "s", "del", "code"] as const;
  plain.addRule("inline", { filter: [...content], replacement: (text) => text });
  plain.addRule("headings", {
    filter: ["h1", "h2", "h3", "h4", "h5", "h6"],
    replacement: (text) => `\n\n${text}\n\n`,
  });
  plain.addRule("quotes", { filter: "blockquote", replacement: (text) => `\n\n${text}\n\n` });
  plain.addRule("preformatted", {
    filter: "pre",
    replacement: (_text, node) => `\n\n${node.textContent ?? ""}\n\n`,
  });
  plain.addRule("pictures", { filter: "img", replacement: () => "" });
  plain.addRule("rows", { filter: "tr", replacement: (text) => `${text.trimEnd()}\n` });
  plain.addRule("cells", { filter: ["td", "th"], replacement: (text) => `${text.trim()}\t` });
  return plain;
}
