/** Checks citations: a README named with a heading exists and has that heading; a link leads to an existing file and heading; a source file that a comment names exists. */
import { posix } from "node:path";

export type ReadFile = (path: string) => string | null;

const cited = /(?<![\w/.-])((?:[\w.-]+\/)*[\w.-]+\.md), "([^"\n]+)"/g;
/** In a comment, or anywhere in Markdown. NAME stands for any. */
const named = /`((?:[\w.-]+\/)*(?!NAME)[\w-]+\.(?:tsx?|mjs))`/g;
const comments = /\/\*\*[\s\S]*?\*\/|(?<=^|\s)\/\/ .*/gm;
// Addresses of other sites have a colon.
const linked = /\]\(([^)\s:#]+)?(?:#([\w-]+))?\)/g;

function headingsOf(text: string): string[] {
  return [...text.matchAll(/^#{1,6} (.+)$/gm)].map(([, heading = ""]) => heading.trim());
}

function anchorOf(heading: string): string {
  return heading
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N} -]/gu, "")
    .replaceAll(" ", "-");
}

/** Names of source files that no file of `files` ends with. */
export function namedFileFindings(path: string, text: string, files: readonly string[]): string[] {
  const prose = path.endsWith(".md") ? text : (text.match(comments) ?? []).join("\n");
  return [...prose.matchAll(named)].flatMap(([, name = ""]) => {
    const wanted = name.replace(/^(\.\.?\/)+/, "");
    const exists = name.includes("NAME") || files.some((file) => `/${file}`.endsWith(`/${wanted}`));
    return exists ? [] : [`${path}: names ${name}, which does not exist`];
  });
}

/** Findings of one file's citations (`protocol/README.md, "Limits"`) and, in Markdown, links. Empty when all are right. */
export function citationFindings(path: string, text: string, read: ReadFile): string[] {
  const findings: string[] = [];
  const joined = text.replaceAll(/\n\s*(?:\*|\/\/) ?/g, " ");
  for (const [, file = "", heading = ""] of joined.matchAll(cited)) {
    const target = read(file);
    if (target === null) findings.push(`${path}: cites ${file}, which does not exist`);
    else if (!headingsOf(target).includes(heading))
      findings.push(`${path}: cites ${file}, "${heading}", which that file does not have`);
  }
  if (!path.endsWith(".md")) return findings;
  for (const [, file, anchor] of text.matchAll(linked)) {
    const name = file === undefined ? path : posix.join(posix.dirname(path), file);
    const target = read(name);
    if (target === null) findings.push(`${path}: links to ${name}, which does not exist`);
    else if (anchor !== undefined && !headingsOf(target).map(anchorOf).includes(anchor))
      findings.push(`${path}: links to #${anchor} of ${name}, which that file does not have`);
  }
  return findings;
}
