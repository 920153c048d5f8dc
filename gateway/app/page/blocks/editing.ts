/** Edits a program without a mouse: adds, moves and removes blocks by their ids on the canvas. */
import type { Block, WorkspaceSvg } from "blockly/core";
import { startType } from "./tree.ts";

/** A block in the order of execution; `depth` counts the blocks around it. */
export interface OutlineLine {
  id: string;
  kind: string;
  depth: number;
  summary: string;
}

export interface Editing {
  outline(): OutlineLine[];
  /** Adds a block first in `slot` of block `id`, below it without a slot, at the end without an id. Returns its id. */
  add(kind: string, id: string | null, slot: string | null): string;
  /** One place up or down; at the end of its chain, out of the block around it. */
  move(id: string, down: boolean): void;
  /** Removes the block with its inner blocks; the next block moves up. */
  remove(id: string): void;
}

/** @param asOne runs `work` as one step of undo */
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

function siblingAbove(block: Block): Block | null {
  const above = block.getPreviousBlock();
  return above === null || above.type === startType || above.getNextBlock() !== block ? null : above;
}
