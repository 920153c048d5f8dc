/** The blocks that read, keep and output data, and those for tabs, cookies and storage. */
import type { tags } from "typia";
import type { Condition } from "./condition.ts";
import type { BlockBase, Name, Pattern, Template, Value } from "./scalars.ts";
import type { Target } from "./target.ts";

/** Saves an element's visible text, trimmed. */
export interface ExtractText extends BlockBase {
  kind: "extractText";
  target: Target;
  saveTo: Name;
}

/** Saves an attribute of an element; null when the element has none of this name. */
export interface ExtractAttribute extends BlockBase {
  kind: "extractAttribute";
  target: Target;
  name: string & tags.Pattern<"^[A-Za-z_:][A-Za-z0-9_.:-]{0,99}$">;
  saveTo: Name;
}

/** Saves the rows of a table: lists of trimmed cells, or objects by the names in its first row. */
export interface ExtractTable extends BlockBase {
  kind: "extractTable";
  target: Target;
  /** The first row has the column names. */
  header?: boolean;
  saveTo: Name;
}

/** One field of each item of a list. */
export interface ListField {
  name: Name;
  /** CSS selector inside the item. Default: the item itself. A missing element gives null. */
  selector?: string & tags.MinLength<1> & tags.MaxLength<2000>;
  /** Default: the visible text. */
  attribute?: string & tags.Pattern<"^[A-Za-z_:][A-Za-z0-9_.:-]{0,99}$">;
}

/** Waits until at least one element matches, then saves one object for each match. */
export interface ExtractList extends BlockBase {
  kind: "extractList";
  /** All matches; `nth` and `strict` are ignored. */
  target: Target;
  fields: ListField[] & tags.MinItems<1> & tags.MaxItems<100>;
  saveTo: Name;
}

/** Saves how many elements match now. */
export interface CountElements extends BlockBase {
  kind: "countElements";
  target: Target;
  saveTo: Name;
}

/** Saves the address or the title of the current tab. */
export interface PageInfo extends BlockBase {
  kind: "pageInfo";
  what: "url" | "title";
  saveTo: Name;
}

/** Saves a picture among the run's files. */
export interface Screenshot extends BlockBase {
  kind: "screenshot";
  /** A file name that ends in .png, .jpg or .jpeg. */
  path: Template & tags.Pattern<"\\.(png|jpg|jpeg)$">;
  /** The whole page, not only the part in view. */
  fullPage?: boolean;
  /** Only this element. */
  target?: Target;
}

/** Runs JavaScript in the page: an expression, or a function that is called with `args`. */
export interface Evaluate extends BlockBase {
  kind: "evaluate";
  expression?: string & tags.MinLength<1> & tags.MaxLength<65536>;
  /** Such as `({ price }) => price * 2`. */
  function?: string & tags.MinLength<1> & tags.MaxLength<65536>;
  /** The function's one argument: an object of these values. */
  args?: Record<string, Value>;
  saveTo?: Name;
}

/** Sets a variable. */
export interface SetVariable extends BlockBase {
  kind: "setVariable";
  name: Name;
  value: Value;
}

/** Adds to a variable with a number. A variable that is not set counts as 0. */
export interface Increment extends BlockBase {
  kind: "increment";
  name: Name;
  /** Default 1. */
  by?: number;
}

/** Writes one row of results. */
export interface Output extends BlockBase {
  kind: "output";
  /** By column. If the document declares outputs, only those. */
  values: Record<string, Value>;
}

/** Writes a line into the run's log. */
export interface Log extends BlockBase {
  kind: "log";
  message: Template;
  /** Default `info`. */
  level?: "debug" | "info" | "warn" | "error";
}

/** Fails when a condition is false. */
export interface Assert extends BlockBase {
  kind: "assert";
  when: Condition;
  message?: Template;
}

/** A remark for readers; it does nothing. */
export interface Comment extends BlockBase {
  kind: "comment";
  text: string & tags.MaxLength<2000>;
}

/** Opens a tab and makes it the current one. */
export interface NewTab extends BlockBase {
  kind: "newTab";
  url?: Template & tags.MinLength<1>;
}

/** Makes another tab the current one, by exactly one of index, address and title. */
export interface SwitchTab extends BlockBase {
  kind: "switchTab";
  /** From 0, in the order of opening. */
  index?: number & tags.Type<"uint32"> & tags.Maximum<1000>;
  /** A regular expression for the address. */
  url?: Pattern;
  /** A regular expression for the title. */
  title?: Pattern;
}

/** Closes the current tab. The last of the remaining tabs becomes current. */
export interface CloseTab extends BlockBase {
  kind: "closeTab";
}

/** Sets the answer to the next JavaScript dialog. Dialogs without one are dismissed. */
export interface Dialog extends BlockBase {
  kind: "dialog";
  accept: boolean;
  /** Text to enter into a prompt. */
  promptText?: Template;
}

/** Saves the profile's cookies, sorted by domain, path and name. */
export interface GetCookies extends BlockBase {
  kind: "getCookies";
  /** Only cookies of this domain. */
  domain?: Template & tags.MinLength<1>;
  saveTo: Name;
}

export interface CookieToSet {
  name: Template & tags.MinLength<1>;
  value: Template;
  domain: Template & tags.MinLength<1>;
  /** Default `/`. */
  path?: Template;
  secure?: boolean;
  httpOnly?: boolean;
  sameSite?: "Strict" | "Lax" | "None";
  /** Lifetime. Default: until the browser ends. */
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

/** Saves an item of the page's storage; null when there is none. */
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

/** Sends a request from within the page, under its rules (CORS), and saves status, headers and body. */
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
