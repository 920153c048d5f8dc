/** The blocks that act on a page: navigation, pointer, keyboard, waiting. */
import type { tags } from "typia";
import type { BlockBase, Milliseconds, Pattern, Pixels, Template } from "./scalars.ts";
import type { Target } from "./target.ts";

/** Opens an address in the current tab. */
export interface Navigate extends BlockBase {
  kind: "navigate";
  url: Template & tags.MinLength<1>;
  /** Default `load`. */
  waitUntil?: "load" | "domcontentloaded" | "networkIdle";
}

/** Goes back, goes forward, or reloads the page, and waits until it has loaded. */
export interface History extends BlockBase {
  kind: "back" | "forward" | "reload";
}

/** Clicks an element once it is visible, enabled and at rest. */
export interface Click extends BlockBase {
  kind: "click";
  target: Target;
  /** Default `left`. */
  button?: "left" | "right" | "middle";
  /** 2 is a double click. */
  count?: 1 | 2;
  /** Keys that are pressed during the click. */
  modifiers?: ("Alt" | "Control" | "Meta" | "Shift")[] & tags.MinItems<1> & tags.UniqueItems;
  /** Offset from the element's upper left corner. Default: its middle. */
  position?: { x: Pixels; y: Pixels };
}

/** Moves the pointer over an element. */
export interface Hover extends BlockBase {
  kind: "hover";
  target: Target;
}

/** Writes text into a field. */
export interface Type extends BlockBase {
  kind: "type";
  target: Target;
  text: Template;
  /** Empties the field first. Default true. */
  clear?: boolean;
  /** Pause between keys. Default: the text is inserted at once. */
  delayMs?: number & tags.Type<"uint32"> & tags.Maximum<10000>;
  /** If the element is a list, chooses the option with this value, because a recorded `change` may mean either. */
  auto?: boolean;
}

/** Presses a key, alone or with modifiers such as `Control+A`, on the focused or the given element. */
export interface PressKey extends BlockBase {
  kind: "pressKey";
  /**
   * Modifiers (Control, Shift, Alt, Meta) and one key, joined with `+`: a printable ASCII character, or Enter, Tab,
   * Escape, Backspace, Delete, Insert, Home, End, PageUp, PageDown, ArrowUp, ArrowDown, ArrowLeft, ArrowRight, Space,
   * F1 to F12.
   */
  key: string &
    tags.Pattern<"^((Control|Shift|Alt|Meta)\\+)*(Enter|Tab|Escape|Backspace|Delete|Insert|Home|End|PageUp|PageDown|ArrowUp|ArrowDown|ArrowLeft|ArrowRight|Space|F[1-9]|F1[0-2]|[!-~])$">;
  /** Gets the focus first. */
  target?: Target;
}

/** Scrolls an element into view, or scrolls the page or an element by a distance or to a position. */
export interface Scroll extends BlockBase {
  kind: "scroll";
  /** Alone: scrolls it into view. With `by` or `to`: the element whose content scrolls. */
  target?: Target;
  /** Distance. The page scrolls with the mouse wheel. */
  by?: { x?: Pixels; y?: Pixels };
  /** Position. */
  to?: { x?: Pixels; y?: Pixels };
}

/** Chooses an option of a list by exactly one of value, text and index. */
export interface Select extends BlockBase {
  kind: "select";
  target: Target;
  value?: Template;
  /** The whole text of the option. */
  text?: Template;
  /** From 0. */
  index?: number & tags.Type<"uint32"> & tags.Maximum<100000>;
}

/** Ticks a box or radio button, or clears a box. Does nothing if that is its state already. */
export interface Check extends BlockBase {
  kind: "check" | "uncheck";
  target: Target;
}

/** Puts files into a file input. */
export interface Upload extends BlockBase {
  kind: "upload";
  target: Target;
  /** Names below the uploads directory. */
  files: (Template & tags.MinLength<1>)[] & tags.MinItems<1> & tags.MaxItems<100>;
}

/** Waits until an element has a state, or until a number of elements match. */
export interface WaitElement extends BlockBase {
  kind: "waitElement";
  target: Target;
  /** Default `visible`. Not together with `count`. */
  state?: "visible" | "hidden" | "attached" | "detached";
  /** Number of matches to wait for; `nth`, `strict` and `or` of the target are ignored. */
  count?: { op: "eq" | "gte" | "lte"; value: number & tags.Type<"uint32"> & tags.Maximum<100000> };
}

/** Waits until a regular expression matches the tab's address. */
export interface WaitUrl extends BlockBase {
  kind: "waitUrl";
  matches: Pattern;
}

/** Waits until the page has had no request for half a second or, with Puppeteer, for `idleMs`. */
export interface WaitNetworkIdle extends BlockBase {
  kind: "waitNetworkIdle";
  idleMs?: number & tags.Type<"uint32"> & tags.Minimum<100> & tags.Maximum<60000>;
}

/** Waits until a JavaScript expression in the page is truthy. */
export interface WaitFunction extends BlockBase {
  kind: "waitFunction";
  expression: string & tags.MinLength<1> & tags.MaxLength<65536>;
}

/** Waits a fixed time. */
export interface Wait extends BlockBase {
  kind: "wait";
  ms: Milliseconds;
}

/** Waits a random time. */
export interface RandomDelay extends BlockBase {
  kind: "randomDelay";
  minMs: Milliseconds;
  maxMs: Milliseconds;
}

export type PageBlock =
  | Navigate
  | History
  | Click
  | Hover
  | Type
  | PressKey
  | Scroll
  | Select
  | Check
  | Upload
  | WaitElement
  | WaitUrl
  | WaitNetworkIdle
  | WaitFunction
  | Wait
  | RandomDelay;
