/** The check of citations: a README that is named with a heading is there, and has that heading; a link leads to a file and a heading. */
import { posix } from "node:path";

/** Reads a file of the repository; null when there is none. */
export type ReadFile = (path: string) => string | null;

const cited = /(?<![\w/.-])((?:[\w.-]+\/)*[\w.-]+\.md), "([^"\n]+)"/g;
const linked = /\]\(([^)\s:#]*\.md)?(?:#([\w-]+))?\)/g;

function headingsOf(text: string): string[] {
  return [...text.matchAll(/^#{1,6} (.+)$/gm)].map(([, heading = ""]) => heading.trim());
}

/** As GitHub makes the anchor of a heading. */
function anchorOf(heading: string): string {
  return heading
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N} -]/gu, "")
    .replaceAll(" ", "-");
}

/** Findings of one file's citations (`protocol/README.md, "Limits"`) and, in Markdown, links; none is good. */
export function citationFindings(path: string, text: string, read: ReadFile): string[] {
  const findings: string[] = [];
  // A citation may run over the end of a comment's line.
  const joined = text.replaceAll(/\n\s*(?:\*|\/\/) ?/g, " ");
  for (const [, file = "", heading = ""] of joined.matchAll(cited)) {
    const target = read(file);
    if (target === null) findings.push(`${path}: cites ${file}, which is not there`);
    else if (!headingsOf(target).includes(heading))
      findings.push(`${path}: cites ${file}, "${heading}", a heading that is not there`);
  }
  if (!path.endsWith(".md")) return findings;
  for (const [, file, anchor] of text.matchAll(linked)) {
    const name = file === undefined ? path : posix.join(posix.dirname(path), file);
    const target = read(name);
    if (target === null) findings.push(`${path}: links to ${name}, which is not there`);
    else if (anchor !== undefined && !headingsOf(target).map(anchorOf).includes(anchor))
      findings.push(`${path}: links to #${anchor} of ${name}, a heading that is not there`);
  }
  return findings;
}
