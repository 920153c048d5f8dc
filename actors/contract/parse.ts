/** Wraps the parser (oxc): the tree, the children of a node, and line numbers of offsets. */
import { parseSync, visitorKeys } from "oxc-parser";
import { isNode, type Node } from "./syntax-tree.ts";

export interface Parsed {
  program: Node;
  errors: { offset: number; message: string }[];
}

/** Parses one TypeScript module. Errors include semantic ones, such as duplicate declarations. */
export function parse(source: string): Parsed {
  const { program, errors } = parseSync("script.ts", source, {
    lang: "ts",
    sourceType: "module",
    showSemanticErrors: true,
  });
  const root: unknown = program;
  if (!isNode(root)) throw new Error("the parser returned no tree");
  return {
    program: root,
    errors: errors
      .filter((error) => error.severity === "Error")
      .map((error) => ({
        // With two labels, the last one marks the faulty place.
        offset: error.labels.at(-1)?.start ?? 0,
        message: error.message,
      })),
  };
}

export function childFields(node: Node): readonly string[] {
  // Look at every field of an unlisted type, otherwise its content would go unchecked.
  return visitorKeys[node.type] ?? Object.keys(node);
}

export function children(node: Node): Node[] {
  const found: Node[] = [];
  for (const field of childFields(node)) {
    const value = node[field];
    if (Array.isArray(value)) {
      for (const item of value) if (isNode(item)) found.push(item);
    } else if (isNode(value)) found.push(value);
  }
  return found;
}

export function createLineFinder(source: string): (offset: number) => number {
  const starts = [0];
  for (let at = source.indexOf("\n"); at !== -1; at = source.indexOf("\n", at + 1)) starts.push(at + 1);
  return (offset) => {
    let low = 0;
    let high = starts.length;
    while (high - low > 1) {
      const middle = (low + high) >> 1;
      if ((starts[middle] ?? 0) <= offset) low = middle;
      else high = middle;
    }
    return low + 1;
  };
}
