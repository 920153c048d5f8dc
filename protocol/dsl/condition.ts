/** The conditions of the DSL: values, elements, the address, and combinations. */
import type { tags } from "typia";
import type { Pattern, Value } from "./scalars.ts";
import type { Target } from "./target.ts";

/** Compares two values as text; `contains` also searches lists. */
export interface TextCondition {
  op: "eq" | "ne" | "contains" | "notContains" | "startsWith" | "endsWith";
  left: Value;
  right: Value;
}

/** Compares two numbers. A value that is not a number fails the block. */
export interface NumberCondition {
  op: "gt" | "gte" | "lt" | "lte";
  left: Value;
  right: Value;
}

/** Whether a regular expression matches the text of a value. */
export interface MatchCondition {
  op: "matches";
  left: Value;
  right: Pattern;
}

/** Whether a value is missing, an empty text or an empty list. A path that leads nowhere is empty. */
export interface EmptyCondition {
  op: "empty" | "notEmpty";
  left: Value;
}

/** The state of an element now, without waiting. A missing element is `hidden` and nothing else. */
export interface ElementCondition {
  op: "exists" | "visible" | "hidden" | "enabled" | "checked";
  target: Target;
}

/** Whether a regular expression matches the tab's address. */
export interface UrlCondition {
  op: "url";
  matches: Pattern;
}

/** All, or any, of several conditions, checked in order as far as needed. */
export interface ManyCondition {
  op: "and" | "or";
  of: Condition[] & tags.MinItems<1> & tags.MaxItems<50>;
}

/** The opposite of a condition. */
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
