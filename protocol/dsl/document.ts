/** A script of the drag-and-drop format: blocks in a tree, with what they read and write declared beside them. */
import type { tags } from "typia";
import type { ScriptLibrary } from "../scalars.ts";
import type { Layout, Steps, Subflow } from "./flow-blocks.ts";
import type { Milliseconds, Name } from "./scalars.ts";

/** The version of the DSL that this build writes and reads; a later 1.x is read as far as it is known. */
export const dslVersion = "1.0";

/** What holds for every block that does not say otherwise. */
export interface DslSettings {
  /** Patience of actions and waits; default 10000. 0 waits without end. */
  timeoutMs?: Milliseconds;
  /** Patience of navigations; default 30000. */
  navigationTimeoutMs?: Milliseconds;
  /** Default `fail`. */
  onError?: "fail" | "continue";
  /** Every target must match exactly one element; default false: the first is taken. */
  strict?: boolean;
}

/** A variable that the run is given. */
export interface InputVariable {
  name: Name;
  /** The run fails at once without it. */
  required?: boolean;
  /** Default: an empty text. */
  default?: string & tags.MaxLength<65536>;
  description?: string & tags.MaxLength<2000>;
}

/** A column of the dataset, or of the results. */
export interface Column {
  name: string & tags.MinLength<1> & tags.MaxLength<200>;
  description?: string & tags.MaxLength<2000>;
}

/** What the script reads. */
export interface DslInputs {
  variables?: InputVariable[] & tags.MaxItems<500>;
  /** Columns of the dataset; when any is declared, only declared ones may be used. */
  columns?: Column[] & tags.MaxItems<500>;
}

/** A DSL script. At most 2000 blocks, 16 levels deep, 1 MiB. */
export interface DslDocument {
  /** `1.0`. */
  dslVersion: string & tags.Pattern<"^1\\.[0-9]{1,3}$">;
  name?: string & tags.MaxLength<200>;
  /** The library it is meant for; the target that a compilation asks for wins. */
  library?: ScriptLibrary;
  settings?: DslSettings;
  inputs?: DslInputs;
  /** Columns that `output` may write; when any is declared, only declared ones. */
  outputs?: Column[] & tags.MaxItems<500>;
  steps: Steps;
  subflows?: Record<string, Subflow>;
  layout?: Layout;
}
