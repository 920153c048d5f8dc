/** Building a program without a mouse: blocks put in, moved, taken away, by what they are and not by where they lie. */
import type { Block, WorkspaceSvg } from "blockly/core";
import { startType } from "./tree.ts";

/** A block of the program, in the order in which it runs. */
export interface OutlineLine {
  /** On the canvas. */
  id: string;
  kind: string;
  /** Blocks around it. */
  depth: number;
  summary: string;
}

export interface Editing {
  outline(): OutlineLine[];
  /** Puts a new block first into this slot of block `id`, or below it with null; at the end of the program with neither. Gives its id. */
  add(kind: string, id: string | null, slot: string | null): string;
  /** One place up or down; past an end, out of the block around it. */
  move(id: string, down: boolean): void;
  /** With all that is in it; what follows closes up. */
  remove(id: string): void;
}

/** @param asOne does a work so that one step back undoes it */
export function editingOf(workspace: WorkspaceSvg, asOne: (work: () => void) => void): Editing {
  const start = () => workspace.getTopBlocks(false).find(({ type }) => type === startType) ?? null;
  const linesFrom = (first: Block | null, depth: number): OutlineLine[] => {
    const lines: OutlineLine[] = [];
    for (let block = first; block !== null; block = block.getNextBlock()) {
      const summary = block.inputList[0]?.fieldRow.at(-1)?.getText().trim() ?? "";
      lines.push({ id: block.id, kind: block.type, depth, summary });
      for (const { connection } of block.inputList) {
        lines.push(...linesFrom(connection?.targetBlock() ?? null, depth + 1));
      }
    }
    return lines;
  };
  const last = (): Block | null => {
    let block: Block | null = start();
    for (let next = block; next !== null; next = next.getNextBlock()) block = next;
    return block;
  };
  return {
    outline: () => linesFrom(start()?.getNextBlock() ?? null, 0),
    add(kind, id, slot) {
      let added = "";
      asOne(() => {
        const block = workspace.newBlock(kind);
        block.initSvg();
        block.render();
        const at = id === null ? last() : workspace.getBlockById(id);
        const place = slot === null ? at?.nextConnection : at?.getInput(slot)?.connection;
        if (block.previousConnection !== null) place?.connect(block.previousConnection);
        added = block.id;
      });
      return added;
    },
    move(id, down) {
      const block = workspace.getBlockById(id);
      if (block === null) return;
      const around = block.getSurroundParent();
      const beside = down ? block.getNextBlock() : siblingAbove(block);
      const goal = beside ?? around;
      if (goal === null) return;
      asOne(() => {
        block.unplug(true);
        const place = down ? goal.nextConnection : goal.previousConnection?.targetConnection;
        if (block.previousConnection !== null) place?.connect(block.previousConnection);
      });
    },
    remove(id) {
      asOne(() => workspace.getBlockById(id)?.dispose(true));
    },
  };
}

/** Null for the first of its chain, and for the one below Start. */
function siblingAbove(block: Block): Block | null {
  const above = block.getPreviousBlock();
  return above === null || above.type === startType || above.getNextBlock() !== block ? null : above;
}
