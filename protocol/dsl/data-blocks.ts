/** The blocks that read, keep and hand over data, and those about tabs, cookies and storage. */
import type { tags } from "typia";
import type { Condition } from "./condition.ts";
import type { BlockBase, Name, Pattern, Template, Value } from "./scalars.ts";
import type { Target } from "./target.ts";

/** Keeps an element's visible text, trimmed. */
export interface ExtractText extends BlockBase {
  kind: "extractText";
  target: Target;
  saveTo: Name;
}

/** Keeps an attribute of an element; null when it has none of this name. */
export interface ExtractAttribute extends BlockBase {
  kind: "extractAttribute";
  target: Target;
  name: string & tags.Pattern<"^[A-Za-z_:][A-Za-z0-9_.:-]{0,99}$">;
  saveTo: Name;
}

/** Keeps the rows of a table: lists of trimmed cells, or objects by the names in its first row. */
export interface ExtractTable extends BlockBase {
  kind: "extractTable";
  target: Target;
  /** The first row names the columns. */
  header?: boolean;
  saveTo: Name;
}

/** One field of an item of a list. */
export interface ListField {
  name: Name;
  /** CSS, inside the item; default: the item itself. A missing element gives null. */
  selector?: string & tags.MinLength<1> & tags.MaxLength<2000>;
  /** Default: the visible text. */
  attribute?: string & tags.Pattern<"^[A-Za-z_:][A-Za-z0-9_.:-]{0,99}$">;
}

/** Keeps one object for each element that matches, once there is at least one. */
export interface ExtractList extends BlockBase {
  kind: "extractList";
  /** All matches; `nth` and `strict` do not count here. */
  target: Target;
  fields: ListField[] & tags.MinItems<1> & tags.MaxItems<100>;
  saveTo: Name;
}

/** Keeps how many elements match at this moment. */
export interface CountElements extends BlockBase {
  kind: "countElements";
  target: Target;
  saveTo: Name;
}

/** Keeps the address or the title of the current tab. */
export interface PageInfo extends BlockBase {
  kind: "pageInfo";
  what: "url" | "title";
  saveTo: Name;
}

/** Saves a picture into the run's files. */
export interface Screenshot extends BlockBase {
  kind: "screenshot";
  /** A file name that ends in .png, .jpg or .jpeg. */
  path: Template & tags.Pattern<"\\.(png|jpg|jpeg)$">;
  /** The whole page, not only what is in view. */
  fullPage?: boolean;
  /** Only this element. */
  target?: Target;
}

/** Runs JavaScript in the page: an expression, or a function that is called with `args`. */
export interface Evaluate extends BlockBase {
  kind: "evaluate";
  expression?: string & tags.MinLength<1> & tags.MaxLength<65536>;
  /** As in `({ price }) => price * 2`. */
  function?: string & tags.MinLength<1> & tags.MaxLength<65536>;
  /** Its one argument: an object of these values. */
  args?: Record<string, Value>;
  saveTo?: Name;
}

/** Keeps a value. */
export interface SetVariable extends BlockBase {
  kind: "setVariable";
  name: Name;
  value: Value;
}

/** Adds to a variable that holds a number; one that is not set counts as 0. */
export interface Increment extends BlockBase {
  kind: "increment";
  name: Name;
  /** Default 1. */
  by?: number;
}

/** Hands over one row of results. */
export interface Output extends BlockBase {
  kind: "output";
  /** By column; when the document declares outputs, only those. */
  values: Record<string, Value>;
}

/** Writes a line into the run's log. */
export interface Log extends BlockBase {
  kind: "log";
  message: Template;
  /** Default `info`. */
  level?: "debug" | "info" | "warn" | "error";
}

/** Fails when a condition does not hold. */
export interface Assert extends BlockBase {
  kind: "assert";
  when: Condition;
  message?: Template;
}

/** A remark for readers. */
export interface Comment extends BlockBase {
  kind: "comment";
  text: string & tags.MaxLength<2000>;
}

/** Opens a tab, which becomes the current one. */
export interface NewTab extends BlockBase {
  kind: "newTab";
  url?: Template & tags.MinLength<1>;
}

/** Makes another tab the current one, by exactly one of index, address and title. */
export interface SwitchTab extends BlockBase {
  kind: "switchTab";
  /** From 0, in the order the tabs were opened. */
  index?: number & tags.Type<"uint32"> & tags.Maximum<1000>;
  /** A regular expression for the address. */
  url?: Pattern;
  /** A regular expression for the title. */
  title?: Pattern;
}

/** Closes the current tab; the last one that is left becomes current. */
export interface CloseTab extends BlockBase {
  kind: "closeTab";
}

/** Says how the next JavaScript dialog is answered; dialogs without one are dismissed. */
export interface Dialog extends BlockBase {
  kind: "dialog";
  accept: boolean;
  /** What is entered into a prompt. */
  promptText?: Template;
}

/** Keeps the profile's cookies, sorted by domain, path and name. */
export interface GetCookies extends BlockBase {
  kind: "getCookies";
  /** Only this domain's. */
  domain?: Template & tags.MinLength<1>;
  saveTo: Name;
}

/** A cookie to set. */
export interface CookieToSet {
  name: Template & tags.MinLength<1>;
  value: Template;
  domain: Template & tags.MinLength<1>;
  /** Default `/`. */
  path?: Template;
  secure?: boolean;
  httpOnly?: boolean;
  sameSite?: "Strict" | "Lax" | "None";
  /** How long it lives; default: until the browser ends. */
  maxAgeSecs?: number & tags.Type<"uint32">;
}

/** Sets cookies of the profile. */
export interface SetCookies extends BlockBase {
  kind: "setCookies";
  cookies: CookieToSet[] & tags.MinItems<1> & tags.MaxItems<1000>;
}

/** Removes cookies of the profile: all, or those of a name, a domain or both. */
export interface ClearCookies extends BlockBase {
  kind: "clearCookies";
  name?: Template & tags.MinLength<1>;
  domain?: Template & tags.MinLength<1>;
}

/** Keeps an item of the page's storage; null when there is none. */
export interface StorageGet extends BlockBase {
  kind: "storageGet";
  /** Default `local`. */
  area?: "local" | "session";
  key: Template;
  saveTo: Name;
}

/** Sets an item of the page's storage. */
export interface StorageSet extends BlockBase {
  kind: "storageSet";
  /** Default `local`. */
  area?: "local" | "session";
  key: Template;
  value: Template;
}

/** Fetches an address from within the page, by its rules (CORS), and keeps status, headers and body. */
export interface HttpRequest extends BlockBase {
  kind: "httpRequest";
  url: Template & tags.MinLength<1>;
  /** Default GET. */
  method?: "GET" | "POST" | "PUT" | "PATCH" | "DELETE" | "HEAD";
  headers?: Record<string, Template>;
  body?: Template;
  saveTo?: Name;
}

export type DataBlock =
  | ExtractText
  | ExtractAttribute
  | ExtractTable
  | ExtractList
  | CountElements
  | PageInfo
  | Screenshot
  | Evaluate
  | SetVariable
  | Increment
  | Output
  | Log
  | Assert
  | Comment
  | NewTab
  | SwitchTab
  | CloseTab
  | Dialog
  | GetCookies
  | SetCookies
  | ClearCookies
  | StorageGet
  | StorageSet
  | HttpRequest;
