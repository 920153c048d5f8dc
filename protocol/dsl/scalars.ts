/** The scalars of the DSL: names, templates, patterns, and the fields of every block. */
import type { tags } from "typia";

// These docstrings become descriptions in `GET /v1/dsl/schema`. The compiler parses strings of the formats `template`
// and `regex`.

/** A letter, then letters, digits, `_` or `-`; unique in the document, subflows included. */
export type BlockId = string & tags.Pattern<"^[A-Za-z][A-Za-z0-9_-]{0,63}$">;

/** Name of a variable, a column in a template, a loop's item, a parameter or a subflow. */
export type Name = string & tags.Pattern<"^[A-Za-z_][A-Za-z0-9_]{0,63}$">;

/**
 * Text in which `{{ path | filter:argument }}` is replaced by a value. Roots: `row`, `rows`, `vars`, `input`, `profile`
 * (`id`, `name`), `run` (`id`), `now`, `index`, and the names that loops, subflows and `try` declare. A bare name is
 * looked up in `vars`, then in `input`. A text that is only one such expression keeps the value's type. `\{{` writes a
 * plain `{{`. Filters: trim, lower, upper, slice:from:to, replace:what:by, split:by, join:by, number, int, json,
 * default:value, urlencode, length, first, last, random, date:format (UTC, such as `date:"YYYY-MM-DD HH:mm:ss"`).
 */
export type Template = string & tags.MaxLength<65536> & tags.JsonSchemaPlugin<{ format: "template" }>;

/** A JavaScript regular expression without slashes and flags. */
export type Pattern = string &
  tags.MinLength<1> &
  tags.MaxLength<2000> &
  tags.JsonSchemaPlugin<{ format: "regex" }>;

/** A value, or a text with templates, or a list of these. */
export type Value = Template | number | boolean | null | (Template | number | boolean | null)[];

/** Milliseconds, at most 10 minutes. */
export type Milliseconds = number & tags.Type<"uint32"> & tags.Maximum<600000>;

export type Pixels = number & tags.Type<"int32"> & tags.Minimum<-1000000> & tags.Maximum<1000000>;

/** Retries a failed block. */
export interface Retry {
  retry: {
    /** Number of retries. */
    times: number & tags.Type<"uint32"> & tags.Minimum<1> & tags.Maximum<10>;
    /** Pause before each retry. */
    delayMs: number & tags.Type<"uint32"> & tags.Maximum<60000>;
  };
  /** What happens when the last retry fails. Default `fail`. */
  then?: "fail" | "continue";
}

export interface BlockBase {
  id: BlockId;
  /** Version of the kind. Default 1. */
  v?: 1;
  /** Shown in the editor and in a comment of the compiled code. */
  label?: string & tags.MaxLength<200>;
  /** For readers; not compiled. */
  note?: string & tags.MaxLength<2000>;
  /** Not compiled, but counted in `nodeCount`. */
  disabled?: boolean;
  /** Timeout of its waits; 0 waits without end. Default: the document's. */
  timeoutMs?: Milliseconds;
  /** What happens when this block fails. Default: the document's `onError`. */
  onError?: "fail" | "continue" | Retry;
}
