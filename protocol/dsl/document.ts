/** A DSL script: a tree of blocks, and what they read and write. */
import type { tags } from "typia";
import type { ScriptLibrary } from "../scalars.ts";
import type { Layout, Steps, Subflow } from "./flow-blocks.ts";
import type { Milliseconds, Name } from "./scalars.ts";

/** The version of the DSL that this build writes. It reads a later 1.x as far as it is known. */
export const dslVersion = "1.0";

/** Defaults for every block. */
export interface DslSettings {
  /** Timeout of actions and waits. Default 10000; 0 waits without end. */
  timeoutMs?: Milliseconds;
  /** Timeout of navigations. Default 30000. */
  navigationTimeoutMs?: Milliseconds;
  /** Default `fail`. */
  onError?: "fail" | "continue";
  /** Every target must match exactly one element. Default false: the first match is used. */
  strict?: boolean;
}

export interface InputVariable {
  name: Name;
  /** Without it the run fails at once. */
  required?: boolean;
  /** Default: an empty text. */
  default?: string & tags.MaxLength<65536>;
  description?: string & tags.MaxLength<2000>;
}

/** A column of the dataset or of the results. */
export interface Column {
  name: string & tags.MinLength<1> & tags.MaxLength<200>;
  description?: string & tags.MaxLength<2000>;
}

export interface DslInputs {
  variables?: InputVariable[] & tags.MaxItems<500>;
  /** Columns of the dataset. If any is declared, the script may use no other. */
  columns?: Column[] & tags.MaxItems<500>;
}

/** A DSL script. At most 2000 blocks, 16 levels deep, 1 MiB. */
export interface DslDocument {
  dslVersion: string & tags.Pattern<"^1\\.[0-9]{1,3}$">;
  name?: string & tags.MaxLength<200>;
  /** The intended library; the `target` of a compilation overrides it. */
  library?: ScriptLibrary;
  settings?: DslSettings;
  inputs?: DslInputs;
  /** Columns that `output` may write. If any is declared, no other. */
  outputs?: Column[] & tags.MaxItems<500>;
  steps: Steps;
  subflows?: Record<string, Subflow>;
  layout?: Layout;
}
