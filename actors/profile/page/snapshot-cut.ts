/** Reduces a snapshot: to interactive elements and their context, to some levels, or to some characters. */
import type { SnapshotQuery } from "../../../protocol/verbs/snapshot.ts";
import type { Line } from "./snapshot-text.ts";

export type SnapshotCut = Pick<SnapshotQuery, "interactive" | "search" | "depth" | "max_chars">;

/** The text: the tab's line, then the lines below it, indented by two spaces per level. */
export function snapshotText(first: string, lines: readonly Line[], cut: SnapshotCut): string {
  const text = [first];
  print(text, lines, "", cut.depth ?? Number.POSITIVE_INFINITY);
  return textOf(text, cut.max_chars);
}

/** Cut after `max` characters; the last line says by what to ask for a part. */
export function textOf(
  lines: readonly string[],
  max: number | undefined,
  parts = "selector, interactive or depth",
): string {
  return max === undefined ? lines.join("\n") : cutAt(lines, max, parts);
}

/** The lines that the query asks for, with those around them. */
export function selected(lines: readonly Line[], { interactive, search }: SnapshotCut): readonly Line[] {
  const kept = interactive === true ? interactiveOnly(lines) : lines;
  return search === undefined ? kept : matching(kept, search.toLowerCase());
}

/** Keeps lines with the text, in any case, and the lines around them. */
function matching(lines: readonly Line[], text: string): Line[] {
  return lines.flatMap((line) => {
    const below = matching(line.below, text);
    return below.length > 0 || line.head.toLowerCase().includes(text) ? [{ ...line, below }] : [];
  });
}

const contextRoles = new Set([
  "alertdialog",
  "banner",
  "cell",
  "complementary",
  "contentinfo",
  "dialog",
  "document",
  "form",
  "grid",
  "group",
  "gridcell",
  "iframe",
  "main",
  "menu",
  "menubar",
  "navigation",
  "radiogroup",
  "region",
  "row",
  "search",
  "tablist",
  "tabpanel",
  "toolbar",
  "tree",
]);

/** Keeps interactive lines, the landmarks and named lines around them, and the headings before them. */
function interactiveOnly(lines: readonly Line[]): Line[] {
  const kept: Line[] = [];
  let headings: Line[] = [];
  for (const line of lines) {
    const below = line.clickable ? line.below : interactiveOnly(line.below);
    if (line.role === "heading" && !line.active) {
      headings = [{ ...line, below }];
      if (below.length > 0) {
        kept.push(...headings);
        headings = [];
      }
    } else if (line.active || (below.length > 0 && (contextRoles.has(line.role) || line.named))) {
      kept.push(...headings, { ...line, below });
      headings = [];
    } else if (below.length > 0) {
      kept.push(...headings, ...below);
      headings = [];
    }
  }
  return kept;
}

function print(text: string[], lines: readonly Line[], indent: string, depth: number): void {
  const deeper = `${indent}  `;
  for (const { head, below } of lines) {
    const cut = depth <= 1 && below.length > 0;
    text.push(cut ? `${indent}${head} … ${count(below)} more below` : `${indent}${head}`);
    if (!cut && below.length > 0) print(text, below, deeper, depth - 1);
  }
}

function count(lines: readonly Line[]): number {
  return lines.reduce((sum, { below }) => sum + 1 + count(below), 0);
}

function cutAt(lines: readonly string[], max: number, parts: string): string {
  let chars = lines[0]?.length ?? 0;
  let kept = 1;
  for (; kept < lines.length; kept++) {
    chars += 1 + (lines[kept]?.length ?? 0);
    if (chars > max) break;
  }
  if (kept >= lines.length) return lines.join("\n");
  const note = `… cut after ${kept} of ${lines.length} lines (max_chars ${max}); ask for a part by ${parts}`;
  return [...lines.slice(0, kept), note].join("\n");
}
