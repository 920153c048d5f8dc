/** The conditions of the DSL: about values, elements, the address, and their combinations. */
import type { tags } from "typia";
import type { Pattern, Value } from "./scalars.ts";
import type { Target } from "./target.ts";

/** Compares two values as text; `contains` also looks into lists. */
export interface TextCondition {
  op: "eq" | "ne" | "contains" | "notContains" | "startsWith" | "endsWith";
  left: Value;
  right: Value;
}

/** Compares two numbers; what is not a number fails the block instead of being compared as text. */
export interface NumberCondition {
  op: "gt" | "gte" | "lt" | "lte";
  left: Value;
  right: Value;
}

/** Whether a regular expression finds anything in the text of a value. */
export interface MatchCondition {
  op: "matches";
  left: Value;
  right: Pattern;
}

/** Whether a value is missing, an empty text or an empty list; a path that leads nowhere is empty. */
export interface EmptyCondition {
  op: "empty" | "notEmpty";
  left: Value;
}

/** How an element is at this moment; nothing is waited for. An absent element is `hidden` and nothing else. */
export interface ElementCondition {
  op: "exists" | "visible" | "hidden" | "enabled" | "checked";
  target: Target;
}

/** Whether a regular expression finds anything in the tab's address. */
export interface UrlCondition {
  op: "url";
  matches: Pattern;
}

/** All, or any, of several conditions; they are asked in order, as far as needed. */
export interface ManyCondition {
  op: "and" | "or";
  of: Condition[] & tags.MinItems<1> & tags.MaxItems<50>;
}

/** The opposite. */
export interface NotCondition {
  op: "not";
  of: Condition;
}

export type Condition =
  | TextCondition
  | NumberCondition
  | MatchCondition
  | EmptyCondition
  | ElementCondition
  | UrlCondition
  | ManyCondition
  | NotCondition;
