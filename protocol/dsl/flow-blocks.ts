/** The blocks that contain blocks: branches, loops, failures, subflows, popups and downloads. */
import type { tags } from "typia";
import type { Condition } from "./condition.ts";
import type { DataBlock } from "./data-blocks.ts";
import type { PageBlock } from "./page-blocks.ts";
import type { BlockBase, Name, Template, Value } from "./scalars.ts";
import type { Target } from "./target.ts";

/** Blocks that run one after the other. */
export type Steps = Block[] & tags.MaxItems<1000>;

/** Another branch of an `if`. */
export interface ElseIf {
  when: Condition;
  then: Steps;
}

/** Runs the first branch whose condition is true. */
export interface If extends BlockBase {
  kind: "if";
  when: Condition;
  then: Steps;
  elseIf?: ElseIf[] & tags.MinItems<1> & tags.MaxItems<50>;
  else?: Steps;
}

/** Runs its steps a number of times. */
export interface ForCount extends BlockBase {
  kind: "forCount";
  /** At most 100000. */
  times: (number & tags.Type<"uint32"> & tags.Maximum<100000>) | Template;
  /** The counter, from 0; default `index`. */
  as?: Name;
  steps: Steps;
}

/** Runs its steps for each row of the dataset. */
export interface ForRow extends BlockBase {
  kind: "forRow";
  /** Default `row`. */
  as?: Name;
  steps: Steps;
}

/** Runs its steps for each value of a list. */
export interface ForEach extends BlockBase {
  kind: "forEach";
  items: Value;
  /** Default `item`. */
  as?: Name;
  steps: Steps;
}

/** Runs its steps for each element that matches at the start. `within: {"ref": "item"}` searches inside the current one. */
export interface ForElement extends BlockBase {
  kind: "forElement";
  /** All matches; `nth`, `strict` and `or` are ignored. */
  target: Target;
  /** Default `item`. */
  as?: Name;
  /** Maximum number of elements. */
  limit?: number & tags.Type<"uint32"> & tags.Minimum<1> & tags.Maximum<100000>;
  steps: Steps;
}

/** Runs its steps while a condition is true. */
export interface While extends BlockBase {
  kind: "while";
  when: Condition;
  /** Fails beyond this many rounds. Default 10000. */
  limit?: number & tags.Type<"uint32"> & tags.Minimum<1> & tags.Maximum<10000>;
  steps: Steps;
}

/** Leaves the innermost loop, or continues with its next round. */
export interface Jump extends BlockBase {
  kind: "break" | "continue";
}

/** Ends the run. */
export interface Stop extends BlockBase {
  kind: "stop";
  status: "completed" | "failed";
  reason?: Template;
}

/** Runs `catch` when a step fails, and `finally` in any case. */
export interface Try extends BlockBase {
  kind: "try";
  steps: Steps;
  catch?: Steps;
  /** Variable for the failure's message in `catch`. Default `error`. */
  as?: Name;
  finally?: Steps;
}

/** Runs the steps of a subflow. */
export interface Call extends BlockBase {
  kind: "call";
  subflow: Name;
  /** One value for each parameter. */
  args?: Record<string, Value>;
}

/** Runs its steps inside an iframe. */
export interface Iframe extends BlockBase {
  kind: "iframe";
  frame: Target;
  steps: Steps;
}

/** Runs `trigger`, which opens a window, then its own steps in that window. The current tab stays the same. */
export interface WaitPopup extends BlockBase {
  kind: "waitPopup";
  trigger: Steps & tags.MinItems<1>;
  steps: Steps;
}

/** Runs `trigger`, which starts a download, and waits until the file is among the run's files. */
export interface Download extends BlockBase {
  kind: "download";
  trigger: Steps & tags.MinItems<1>;
  /** A file name. Default: the one that the site suggests, which is the only choice with Puppeteer. */
  saveAs?: Template & tags.MinLength<1>;
  /** Variable for the file's path. */
  saveTo?: Name;
}

export type FlowBlock =
  | If
  | ForCount
  | ForRow
  | ForEach
  | ForElement
  | While
  | Jump
  | Stop
  | Try
  | Call
  | Iframe
  | WaitPopup
  | Download;

/** One step of a script; `kind` says which. */
export type Block = PageBlock | DataBlock | FlowBlock;

export type BlockOf<Kind> = Extract<Block, { kind: Kind }>;

/** Named steps for `call`. */
export interface Subflow {
  /** Names of parameters, which templates use like loop variables. */
  params?: Name[] & tags.MaxItems<50> & tags.UniqueItems;
  steps: Steps;
}

export interface BlockPlace {
  x: number;
  y: number;
  collapsed?: boolean;
  color?: string & tags.MaxLength<40>;
}

/** For the editor only; it does not change the compiled code. */
export interface Layout {
  viewport?: { x: number; y: number; zoom: number };
  /** By the block's id. */
  nodes?: Record<string, BlockPlace>;
}
