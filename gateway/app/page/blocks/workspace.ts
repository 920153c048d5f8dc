/** The canvas of blocks: the one place that knows Blockly, loaded with the editor. */
import * as Blockly from "blockly/core";
import * as words from "blockly/msg/en";
import { type BlockKind, groupNames, type Props } from "./kinds.ts";
import {
  type BlockState,
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
  /** The program is another one. */
  onChange(): void;
  onSelect(selected: Selected | null): void;
}

export interface Workspace {
  load(steps: unknown): void;
  steps(): Step[];
  /** Blocks that hang from nothing and are no part of the program. */
  looseCount(): number;
  setProps(id: string, props: Props): void;
  /** Shows at each block, by its id in the document, what is to be said about it. */
  setWarnings(warnings: ReadonlyMap<string, string>): void;
  undo(redo: boolean): void;
  close(): void;
}

/** A block's properties: shown as a summary, edited in the form beside the canvas, undone with everything else. */
class PropsField extends Blockly.Field<string> {
  override SERIALIZABLE = true;
  override EDITABLE = false;
  protected override getText_(): string {
    return summaryOf(JSON.parse(this.getValue() ?? "{}")) || " ";
  }
}

const hues: Record<string, number> = {
  Page: 215,
  Waiting: 40,
  Reading: 150,
  Flow: 280,
  "Tabs and frames": 190,
  Data: 0,
};

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
  for (const { kind, group, slots, first, description } of kinds) {
    Blockly.Blocks[kind] = {
      init(this: Blockly.Block) {
        this.appendDummyInput()
          .appendField(kind)
          .appendField(new PropsField(JSON.stringify(first)), propsField);
        for (const slot of slots) this.appendStatementInput(slot).appendField(slot);
        this.setPreviousStatement(true);
        this.setNextStatement(true);
        this.setColour(hues[group] ?? 0);
        this.setTooltip(description);
      },
    };
  }
}

/**
 * Blockly writes style elements, which the page's policy refuses: what it would write is kept in elements that mean nothing,
 * and handed to the page as a style sheet object.
 */
function withStyles<Result>(make: () => Result): Result {
  const caught: HTMLElement[] = [];
  const original = document.createElement;
  const createElement = (name: string) => {
    if (name !== "style") return original.call(document, name);
    const kept = original.call(document, "blockly-style");
    caught.push(kept);
    return kept;
  };
  Reflect.set(document, "createElement", createElement);
  try {
    return make();
  } finally {
    Reflect.deleteProperty(document, "createElement");
    const sheets = caught.map((element) => {
      const sheet = new CSSStyleSheet();
      // Its pictures lie on a server of its makers; the two that it would show here are of no use.
      sheet.replaceSync((element.textContent ?? "").replaceAll(/url\([^)]*\)/g, "none"));
      return sheet;
    });
    document.adoptedStyleSheets = [...document.adoptedStyleSheets, ...sheets];
  }
}

/** Nor does the policy take style attributes; the same text through the style object is well. */
function allowStyleAttributes(): void {
  const { setAttribute } = Element.prototype;
  SVGElement.prototype.setAttribute = function (name, value) {
    if (name === "style") this.style.cssText = value;
    else setAttribute.call(this, name, value);
  };
}
allowStyleAttributes();

function toolboxOf(kinds: readonly BlockKind[]) {
  const contents = groupNames.map((name) => ({
    kind: "category",
    name,
    colour: String(hues[name] ?? 0),
    contents: kinds.filter(({ group }) => group === name).map(({ kind }) => ({ kind: "block", type: kind })),
  }));
  return { kind: "categoryToolbox", contents };
}

/** Ids of the document; Blockly's own may hold any sign. */
function createIds() {
  const known = new Map<string, string>();
  const taken = new Set<string>();
  return {
    of(id: string): string {
      const given = known.get(id);
      if (given !== undefined) return given;
      let made = id;
      for (let number = 1; !/^[A-Za-z][A-Za-z0-9_-]{0,63}$/.test(made) || taken.has(made); number += 1) {
        made = `n${number}`;
      }
      known.set(id, made);
      taken.add(made);
      return made;
    },
    keep: (id: string) => {
      known.set(id, id);
      taken.add(id);
    },
  };
}

export function openWorkspace(
  place: HTMLElement,
  list: readonly BlockKind[],
  events: WorkspaceEvents,
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
  };
  const workspace = withStyles(() => Blockly.inject(place, options));
  const ids = createIds();
  const resized = new ResizeObserver(() => Blockly.svgResize(workspace));
  resized.observe(place);
  // Blockly's own choice ends when the form takes the focus; the form's lasts until another block is chosen, or it is gone.
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
  const start = () => workspace.getTopBlocks(false).find(({ type }) => type === startType);
  return {
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
    },
    setWarnings(warnings) {
      for (const block of workspace.getAllBlocks(false)) {
        block.setWarningText(warnings.get(ids.of(block.id)) ?? null);
      }
    },
    undo: (redo) => workspace.undo(redo),
    close() {
      resized.disconnect();
      workspace.dispose();
    },
  };
}
