/** The lists of blocks inside a block, and the template names that each declares. */
import type { Block } from "../../protocol/dsl/flow-blocks.ts";

export interface Local {
  name: string;
  type: "number" | "row" | "value" | "text" | "element";
}

export interface Section {
  path: string;
  steps: Block[];
  locals: Local[];
  /** True if `break` and `continue` refer to this section. */
  loop: boolean;
}

export function loopName(block: Extract<Block, { as?: string }>): string {
  if (block.as !== undefined) return block.as;
  if (block.kind === "forCount") return "index";
  if (block.kind === "forRow") return "row";
  return block.kind === "try" ? "error" : "item";
}

export function sectionsOf(block: Block): Section[] {
  const plain = (path: string, steps: Block[] | undefined): Section[] =>
    steps === undefined ? [] : [{ path, steps, locals: [], loop: false }];
  const index: Local = { name: "index", type: "number" };
  switch (block.kind) {
    case "if":
      return [
        ...plain("then", block.then),
        ...(block.elseIf ?? []).flatMap((branch, at) => plain(`elseIf/${at}/then`, branch.then)),
        ...plain("else", block.else),
      ];
    case "forCount":
      return [loop(block.steps, { name: loopName(block), type: "number" })];
    case "forRow":
      return [loop(block.steps, index, { name: loopName(block), type: "row" })];
    case "forEach":
      return [loop(block.steps, index, { name: loopName(block), type: "value" })];
    case "forElement":
      return [loop(block.steps, index, { name: loopName(block), type: "element" })];
    case "while":
      return [loop(block.steps)];
    case "try":
      return [
        ...plain("steps", block.steps),
        ...(block.catch === undefined
          ? []
          : [
              {
                path: "catch",
                steps: block.catch,
                locals: [{ name: loopName(block), type: "text" } satisfies Local],
                loop: false,
              },
            ]),
        ...plain("finally", block.finally),
      ];
    case "iframe":
      return plain("steps", block.steps);
    case "waitPopup":
      return [...plain("trigger", block.trigger), ...plain("steps", block.steps)];
    case "download":
      return plain("trigger", block.trigger);
    default:
      return [];
  }
}

function loop(steps: Block[], ...locals: Local[]): Section {
  return { path: "steps", steps, locals, loop: true };
}

export function variableSetBy(block: Block): string | null {
  if (block.kind === "setVariable" || block.kind === "increment") return block.name;
  return "saveTo" in block ? (block.saveTo ?? null) : null;
}
