/** The words of the DSL: names, templates, patterns, and what every block has. */
import type { tags } from "typia";

// The docstrings of these types are the descriptions in the schema that `GET /v1/dsl/schema` answers. The formats
// `template` and `regex` mark the strings that the compiler parses.

/** The id of a block: a letter, then letters, digits, `_` or `-`; unique in the document, subflows included. */
export type BlockId = string & tags.Pattern<"^[A-Za-z][A-Za-z0-9_-]{0,63}$">;

/** A name of a variable, a column's place in a template, a loop's item, a parameter or a subflow. */
export type Name = string & tags.Pattern<"^[A-Za-z_][A-Za-z0-9_]{0,63}$">;

/**
 * Text in which `{{ path | filter:argument }}` stands for a value. Roots: `row`, `rows`, `vars`, `input`, `profile` (`id`,
 * `name`), `run` (`id`), `now`, `index`, and the names that loops, subflows and `try` declare; a bare name is looked up in
 * `vars`, then in `input`. A text that is one such expression and nothing else keeps the value's type. `\{{` is a plain
 * `{{`. Filters: trim, lower, upper, slice:from:to, replace:what:by, split:by, join:by, number, int, json, default:value,
 * urlencode, length, first, last, random, date:format (UTC, as in `date:"YYYY-MM-DD HH:mm:ss"`).
 */
export type Template = string & tags.MaxLength<65536> & tags.JsonSchemaPlugin<{ format: "template" }>;

/** A JavaScript regular expression, without slashes and flags. */
export type Pattern = string &
  tags.MinLength<1> &
  tags.MaxLength<2000> &
  tags.JsonSchemaPlugin<{ format: "regex" }>;

/** A value as it is, or a text with templates; lists hold such values. */
export type Value = Template | number | boolean | null | (Template | number | boolean | null)[];

/** Milliseconds, at most 10 minutes. */
export type Milliseconds = number & tags.Type<"uint32"> & tags.Maximum<600000>;

/** Pixels. */
export type Pixels = number & tags.Type<"int32"> & tags.Minimum<-1000000> & tags.Maximum<1000000>;

/** Tries again before it gives up. */
export interface Retry {
  retry: {
    /** How often after the first time. */
    times: number & tags.Type<"uint32"> & tags.Minimum<1> & tags.Maximum<10>;
    /** Pause before each. */
    delayMs: number & tags.Type<"uint32"> & tags.Maximum<60000>;
  };
  /** What happens when the last try has failed too; default `fail`. */
  then?: "fail" | "continue";
}

/** What every block may have. */
export interface BlockBase {
  id: BlockId;
  /** Version of the kind; 1 when it is left out. */
  v?: 1;
  /** Shown in the editor and in the compiled code's comment. */
  label?: string & tags.MaxLength<200>;
  /** For readers; not compiled. */
  note?: string & tags.MaxLength<2000>;
  /** Left out of the compiled code; `nodeCount` counts it all the same. */
  disabled?: boolean;
  /** Least patience of its waits, in milliseconds; 0 waits without end. Default: the document's. */
  timeoutMs?: Milliseconds;
  /** What a failure of this block means; default: the document's `onError`. */
  onError?: "fail" | "continue" | Retry;
}
