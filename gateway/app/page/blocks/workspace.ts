/** The canvas of blocks: the only module that uses Blockly, loaded with the editor. */

import * as Blockly from "blockly/core";
import * as words from "blockly/msg/en";
import { createIds } from "./block-ids.ts";
import { type Editing, editingOf } from "./editing.ts";
import type { BlockKind, Branch, Props } from "./kinds.ts";
import { hues, nightColours, toolboxOf } from "./looks.ts";
import { allowStyleAttributes, withStyles } from "./style-policy.ts";
import {
  type BlockState,
  branchInput,
  type Kinds,
  programOf,
  propsField,
  type Step,
  startType,
  stateOf,
  summaryOf,
} from "./tree.ts";

export interface Selected {
  id: string;
  kind: string;
  props: Props;
}

export interface WorkspaceEvents {
  onChange(): void;
  onSelect(selected: Selected | null): void;
}

export interface Workspace extends Editing {
  /** Shows this block's form without moving the focus; null: no block's. */
  choose(id: string | null): void;
  slotsOf(id: string | null): string[];
  load(steps: unknown): void;
  steps(): Step[];
  /** Chains of blocks that are not connected to the program. */
  looseCount(): number;
  setProps(id: string, props: Props): void;
  /** By the block's id in the document. */
  setWarnings(warnings: ReadonlyMap<string, string>): void;
  undo(redo: boolean): void;
  close(): void;
}

/** A block's properties: shown as a summary, edited in the form beside the canvas, part of undo. */
class PropsField extends Blockly.Field<string> {
  override SERIALIZABLE = true;
  override EDITABLE = false;
  readonly #kind: BlockKind | null;
  constructor(kind: BlockKind) {
    super(JSON.stringify(kind.first));
    this.#kind = kind;
  }
  protected override getText_(): string {
    return summaryOf(JSON.parse(this.getValue() ?? "{}")) || " ";
  }
  /** Undo changes the number of branches too. */
  protected override doValueUpdate_(value: string): void {
    super.doValueUpdate_(value);
    const block = this.getSourceBlock();
    if (block !== null && this.#kind?.branch) shapeBranches(block, this.#kind.branch, JSON.parse(value));
  }
}

function shapeBranches(block: Blockly.Block, { name, before }: Branch, props: Props): void {
  const held = props[name];
  const wanted = Array.isArray(held) ? held.length : 0;
  const isThere = (at: number) => block.getInput(branchInput(name, at)) !== null;
  for (let at = 0; at < wanted; at += 1) {
    if (isThere(at)) continue;
    block.appendStatementInput(branchInput(name, at)).appendField(`${name} ${at + 1}`);
    if (before !== null) block.moveInputBefore(branchInput(name, at), before);
  }
  for (let at = wanted; isThere(at); at += 1) block.removeInput(branchInput(name, at));
}

allowStyleAttributes();

const night = Blockly.Theme.defineTheme("night", {
  name: "night",
  base: Blockly.Themes.Zelos,
  componentStyles: nightColours,
});
const isNight = matchMedia("(prefers-color-scheme: dark)");
const themeNow = () => (isNight.matches ? night : Blockly.Themes.Zelos);

function define(kinds: readonly BlockKind[]): void {
  Blockly.Blocks[startType] = {
    init(this: Blockly.Block) {
      this.appendDummyInput().appendField("Start");
      this.setNextStatement(true);
      this.setColour(120);
      this.setDeletable(false);
      this.setMovable(false);
    },
  };
  for (const known of kinds) {
    const { kind, group, slots, description } = known;
    Blockly.Blocks[kind] = {
      init(this: Blockly.Block) {
        this.appendDummyInput().appendField(kind).appendField(new PropsField(known), propsField);
        for (const slot of slots) this.appendStatementInput(slot).appendField(slot);
        this.setPreviousStatement(true);
        this.setNextStatement(true);
        this.setColour(hues[group] ?? 0);
        this.setTooltip(description);
      },
    };
  }
}

function slotsOf(block: Blockly.Block | null): string[] {
  return (block?.inputList ?? []).flatMap(({ name, connection }) => (connection === null ? [] : name));
}

function asOne(work: () => void): void {
  Blockly.Events.setGroup(true);
  try {
    work();
  } finally {
    Blockly.Events.setGroup(false);
  }
}

export function openWorkspace(
  place: HTMLElement,
  list: readonly BlockKind[],
  events: WorkspaceEvents,
  otherIds: Iterable<string> = [],
): Workspace {
  const texts = Object.entries(words).map(
    ([name, text]) => [name, typeof text === "string" ? text : ""] as const,
  );
  Blockly.setLocale(Object.fromEntries(texts));
  define(list);
  const kinds: Kinds = new Map(list.map((kind) => [kind.kind, kind]));
  const options = {
    toolbox: toolboxOf(list),
    sounds: false,
    trashcan: false,
    move: { wheel: true },
    renderer: "zelos",
    theme: themeNow(),
  };
  const workspace = withStyles(() => Blockly.inject(place, options));
  const followNight = () => withStyles(() => workspace.setTheme(themeNow()));
  isNight.addEventListener("change", followNight);
  const ids = createIds(otherIds);
  const resized = new ResizeObserver(() => Blockly.svgResize(workspace));
  resized.observe(place);
  // Blockly clears its selection when the form takes the focus; this one lasts until the user selects another block.
  let chosen: string | null = null;
  const selected = () => {
    const block = chosen === null ? null : workspace.getBlockById(chosen);
    if (block === null || block.type === startType) return null;
    const props: Props = JSON.parse(block.getFieldValue(propsField) ?? "{}");
    return { id: block.id, kind: block.type, props };
  };
  workspace.addChangeListener((event) => {
    const block = Blockly.getSelected();
    if (event.type === Blockly.Events.SELECTED && block instanceof Blockly.BlockSvg) chosen = block.id;
    if (event.type === Blockly.Events.SELECTED) events.onSelect(selected());
    if (event.isUiEvent || workspace.isDragging()) return;
    events.onChange();
    events.onSelect(selected());
  });
  const choose = (id: string | null) => {
    chosen = id;
    workspace.highlightBlock(id);
    if (id !== null) workspace.centerOnBlock(id, true);
    events.onSelect(selected());
  };
  const start = () => workspace.getTopBlocks(false).find(({ type }) => type === startType);
  return {
    ...editingOf(workspace, asOne),
    choose,
    slotsOf: (id) => slotsOf(id === null ? null : workspace.getBlockById(id)),
    load(steps) {
      const remember = (block: BlockState | undefined) => {
        if (block?.id !== undefined) ids.keep(block.id);
        for (const { block: inner } of Object.values(block?.inputs ?? {})) remember(inner);
        if (block?.next !== undefined) remember(block.next.block);
      };
      const state = stateOf(steps, kinds);
      remember(state);
      const placed = { ...state, x: 30, y: 30 };
      Blockly.serialization.workspaces.load({ blocks: { languageVersion: 0, blocks: [placed] } }, workspace);
      workspace.clearUndo();
    },
    steps() {
      const block = start();
      const state = block === undefined ? null : Blockly.serialization.blocks.save(block);
      const saved: BlockState | undefined = state === null ? undefined : JSON.parse(JSON.stringify(state));
      return programOf(saved?.next?.block, kinds, ids.of);
    },
    looseCount: () => workspace.getTopBlocks(false).length - 1,
    setProps(id, props) {
      workspace.getBlockById(id)?.setFieldValue(JSON.stringify(props), propsField);
      // The canvas reports the change one frame later; input before that would start from the old value.
      events.onSelect(selected());
    },
    setWarnings(warnings) {
      for (const block of workspace.getAllBlocks(false)) {
        block.setWarningText(warnings.get(ids.of(block.id)) ?? null);
      }
    },
    undo: (redo) => workspace.undo(redo),
    close() {
      resized.disconnect();
      isNight.removeEventListener("change", followNight);
      workspace.dispose();
    },
  };
}
