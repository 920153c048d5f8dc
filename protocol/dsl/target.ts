/** How the DSL finds an element: seven ways, and where to search. */
import type { tags } from "typia";
import type { Name, Template } from "./scalars.ts";

interface Match {
  /** The n-th match, from 0. Default: the first in document order. */
  nth?: number & tags.Type<"uint32"> & tags.Maximum<9999>;
}

/** By CSS selector. */
export interface ByCss extends Match {
  by: "css";
  value: Template & tags.MinLength<1>;
  /** Also searches open shadow roots. Playwright's CSS always does; Puppeteer's only with this. */
  shadow?: boolean;
}

/** By XPath 1.0 expression. */
export interface ByXpath extends Match {
  by: "xpath";
  value: Template & tags.MinLength<1>;
}

/** By visible text: the innermost element that contains it. Case matters, the amount of white space does not. */
export interface ByText extends Match {
  by: "text";
  value: Template & tags.MinLength<1>;
  /** The whole text of the element, not a part of it. */
  exact?: boolean;
}

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
  /** The whole name; case matters. */
  name?: Template & tags.MinLength<1>;
  /** The name is always compared as a whole. */
  exact?: true;
}

/** A control by the whole text of its label. */
export interface ByLabel extends Match {
  by: "label";
  value: Template & tags.MinLength<1>;
  /** The label is always compared as a whole. */
  exact?: true;
}

/** An input by its whole placeholder. */
export interface ByPlaceholder extends Match {
  by: "placeholder";
  value: Template & tags.MinLength<1>;
  /** The placeholder is always compared as a whole. */
  exact?: true;
}

/** By the attribute `data-testid`. */
export interface ByTestId extends Match {
  by: "testId";
  value: Template & tags.MinLength<1>;
}

export type Address = ByCss | ByXpath | ByText | ByRole | ByLabel | ByPlaceholder | ByTestId;

/** The element of an enclosing `forElement`, by its name. */
export interface LoopItem {
  ref: Name;
}

interface Scope {
  /** Fails unless exactly one element matches. Default: the document's setting. */
  strict?: boolean;
  /** Searches only inside this element. */
  within?: Address | LoopItem;
  /** The iframes that lead to it, outermost first. */
  frame?: Address[] & tags.MinItems<1> & tags.MaxItems<8>;
  /** Alternatives: the first one that finds an element is used. Each searches the same frame and element. */
  or?: Address[] & tags.MinItems<1> & tags.MaxItems<10>;
}

export interface CssTarget extends ByCss, Scope {}
export interface XpathTarget extends ByXpath, Scope {}
export interface TextTarget extends ByText, Scope {}
export interface RoleTarget extends ByRole, Scope {}
export interface LabelTarget extends ByLabel, Scope {}
export interface PlaceholderTarget extends ByPlaceholder, Scope {}
export interface TestIdTarget extends ByTestId, Scope {}

/** How to find one element. `{"ref": "item"}` is the element of a `forElement` itself. */
export type Target =
  | CssTarget
  | XpathTarget
  | TextTarget
  | RoleTarget
  | LabelTarget
  | PlaceholderTarget
  | TestIdTarget
  | LoopItem;
