/** How the DSL addresses an element: seven ways to find it, and where to look. */
import type { tags } from "typia";
import type { Name, Template } from "./scalars.ts";

/** What every way of finding may say. */
interface Match {
  /** The n-th match, from 0; default: the first in document order. */
  nth?: number & tags.Type<"uint32"> & tags.Maximum<9999>;
}

/** By CSS selector. */
export interface ByCss extends Match {
  by: "css";
  value: Template & tags.MinLength<1>;
  /** Looks into open shadow roots. Playwright's CSS always does; Puppeteer's needs to be told. */
  shadow?: boolean;
}

/** By XPath 1.0 expression. */
export interface ByXpath extends Match {
  by: "xpath";
  value: Template & tags.MinLength<1>;
}

/** By visible text: the innermost element that holds it. Capitals count; the amount of white space does not. */
export interface ByText extends Match {
  by: "text";
  value: Template & tags.MinLength<1>;
  /** The whole text of the element, not a part of it. */
  exact?: boolean;
}

/** The roles of ARIA that an element can be found by. */
export type Role =
  | "alert"
  | "alertdialog"
  | "application"
  | "article"
  | "banner"
  | "blockquote"
  | "button"
  | "caption"
  | "cell"
  | "checkbox"
  | "code"
  | "columnheader"
  | "combobox"
  | "complementary"
  | "contentinfo"
  | "definition"
  | "deletion"
  | "dialog"
  | "directory"
  | "document"
  | "emphasis"
  | "feed"
  | "figure"
  | "form"
  | "generic"
  | "grid"
  | "gridcell"
  | "group"
  | "heading"
  | "img"
  | "insertion"
  | "link"
  | "list"
  | "listbox"
  | "listitem"
  | "log"
  | "main"
  | "marquee"
  | "math"
  | "meter"
  | "menu"
  | "menubar"
  | "menuitem"
  | "menuitemcheckbox"
  | "menuitemradio"
  | "navigation"
  | "none"
  | "note"
  | "option"
  | "paragraph"
  | "presentation"
  | "progressbar"
  | "radio"
  | "radiogroup"
  | "region"
  | "row"
  | "rowgroup"
  | "rowheader"
  | "scrollbar"
  | "search"
  | "searchbox"
  | "separator"
  | "slider"
  | "spinbutton"
  | "status"
  | "strong"
  | "subscript"
  | "superscript"
  | "switch"
  | "tab"
  | "table"
  | "tablist"
  | "tabpanel"
  | "term"
  | "textbox"
  | "time"
  | "timer"
  | "toolbar"
  | "tooltip"
  | "tree"
  | "treegrid"
  | "treeitem";

/** By ARIA role and, when given, accessible name. */
export interface ByRole extends Match {
  by: "role";
  role: Role;
  /** The whole name; capitals count. */
  name?: Template & tags.MinLength<1>;
  /** The name is always compared whole. */
  exact?: true;
}

/** A control by the whole text of its label. */
export interface ByLabel extends Match {
  by: "label";
  value: Template & tags.MinLength<1>;
  /** The label is always compared whole. */
  exact?: true;
}

/** An input by its whole placeholder. */
export interface ByPlaceholder extends Match {
  by: "placeholder";
  value: Template & tags.MinLength<1>;
  /** The placeholder is always compared whole. */
  exact?: true;
}

/** By the attribute `data-testid`. */
export interface ByTestId extends Match {
  by: "testId";
  value: Template & tags.MinLength<1>;
}

/** One way to find an element. */
export type Address = ByCss | ByXpath | ByText | ByRole | ByLabel | ByPlaceholder | ByTestId;

/** The element of an enclosing `forElement`, by the name it gave. */
export interface LoopItem {
  ref: Name;
}

/** Where a target is looked for, and how else. */
interface Scope {
  /** Fails unless there is exactly one match. Default: the document's setting. */
  strict?: boolean;
  /** Only inside this element. */
  within?: Address | LoopItem;
  /** The iframes to go through, outermost first. */
  frame?: Address[] & tags.MinItems<1> & tags.MaxItems<8>;
  /** Other ways to find it: the first way that finds anything is taken. Each looks inside the same frame and element. */
  or?: Address[] & tags.MinItems<1> & tags.MaxItems<10>;
}

/** An element by CSS selector. */
export interface CssTarget extends ByCss, Scope {}
/** An element by XPath. */
export interface XpathTarget extends ByXpath, Scope {}
/** An element by its text. */
export interface TextTarget extends ByText, Scope {}
/** An element by role and name. */
export interface RoleTarget extends ByRole, Scope {}
/** A control by its label. */
export interface LabelTarget extends ByLabel, Scope {}
/** An input by its placeholder. */
export interface PlaceholderTarget extends ByPlaceholder, Scope {}
/** An element by `data-testid`. */
export interface TestIdTarget extends ByTestId, Scope {}

/** The address of one element; `{"ref": "item"}` is the element of a `forElement` itself. */
export type Target =
  | CssTarget
  | XpathTarget
  | TextTarget
  | RoleTarget
  | LabelTarget
  | PlaceholderTarget
  | TestIdTarget
  | LoopItem;
