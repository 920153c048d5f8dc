/** The blocks that hold blocks: branches, loops, failures, subflows, and what must be begun before it is waited for. */
import type { tags } from "typia";
import type { Condition } from "./condition.ts";
import type { DataBlock } from "./data-blocks.ts";
import type { PageBlock } from "./page-blocks.ts";
import type { BlockBase, Name, Template, Value } from "./scalars.ts";
import type { Target } from "./target.ts";

/** Blocks, one after the other. */
export type Steps = Block[] & tags.MaxItems<1000>;

/** One more branch of an `if`. */
export interface ElseIf {
  when: Condition;
  then: Steps;
}

/** Goes the first way whose condition holds. */
export interface If extends BlockBase {
  kind: "if";
  when: Condition;
  then: Steps;
  elseIf?: ElseIf[] & tags.MinItems<1> & tags.MaxItems<50>;
  else?: Steps;
}

/** Does its steps a number of times. */
export interface ForCount extends BlockBase {
  kind: "forCount";
  /** At most 100000. */
  times: (number & tags.Type<"uint32"> & tags.Maximum<100000>) | Template;
  /** The counter, from 0; default `index`. */
  as?: Name;
  steps: Steps;
}

/** Does its steps for each row of the dataset. */
export interface ForRow extends BlockBase {
  kind: "forRow";
  /** Default `row`. */
  as?: Name;
  steps: Steps;
}

/** Does its steps for each value of a list. */
export interface ForEach extends BlockBase {
  kind: "forEach";
  items: Value;
  /** Default `item`. */
  as?: Name;
  steps: Steps;
}

/** Does its steps for each element that matches when it begins; `within: {"ref": "item"}` looks inside the current one. */
export interface ForElement extends BlockBase {
  kind: "forElement";
  /** All matches; `nth`, `strict` and `or` do not count here. */
  target: Target;
  /** Default `item`. */
  as?: Name;
  /** Only so many. */
  limit?: number & tags.Type<"uint32"> & tags.Minimum<1> & tags.Maximum<100000>;
  steps: Steps;
}

/** Does its steps while a condition holds. */
export interface While extends BlockBase {
  kind: "while";
  when: Condition;
  /** Fails when it would go round more often; default 10000. */
  limit?: number & tags.Type<"uint32"> & tags.Minimum<1> & tags.Maximum<10000>;
  steps: Steps;
}

/** Leaves the innermost loop, or goes on with its next round. */
export interface Jump extends BlockBase {
  kind: "break" | "continue";
}

/** Ends the run here. */
export interface Stop extends BlockBase {
  kind: "stop";
  status: "completed" | "failed";
  reason?: Template;
}

/** Does other steps when some fail, and steps that are done in any case. */
export interface Try extends BlockBase {
  kind: "try";
  steps: Steps;
  catch?: Steps;
  /** The failure's message, in `catch`; default `error`. */
  as?: Name;
  finally?: Steps;
}

/** Does the steps of a subflow. */
export interface Call extends BlockBase {
  kind: "call";
  subflow: Name;
  /** One value for each of its parameters. */
  args?: Record<string, Value>;
}

/** Does its steps inside an iframe. */
export interface Iframe extends BlockBase {
  kind: "iframe";
  frame: Target;
  steps: Steps;
}

/** Does the steps that open a window, then its own steps in that window; the current tab stays what it was. */
export interface WaitPopup extends BlockBase {
  kind: "waitPopup";
  trigger: Steps & tags.MinItems<1>;
  steps: Steps;
}

/** Does the steps that start a download and waits until the file is among the run's files. */
export interface Download extends BlockBase {
  kind: "download";
  trigger: Steps & tags.MinItems<1>;
  /** A file name; default: the one that the site suggests, which is the only one that Puppeteer can give. */
  saveAs?: Template & tags.MinLength<1>;
  /** Keeps the file's path. */
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

/** Steps under a name, for `call`. */
export interface Subflow {
  /** Names of its parameters, which its templates use like variables of a loop. */
  params?: Name[] & tags.MaxItems<50> & tags.UniqueItems;
  steps: Steps;
}

/** Where the editor shows a block. */
export interface BlockPlace {
  x: number;
  y: number;
  collapsed?: boolean;
  color?: string & tags.MaxLength<40>;
}

/** The editor's own; nothing in it changes the compiled code. */
export interface Layout {
  viewport?: { x: number; y: number; zoom: number };
  /** By the id of the block. */
  nodes?: Record<string, BlockPlace>;
}
