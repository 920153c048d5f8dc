/** What the emitters of one compilation share: the lines, the kit, the facts, and names that are made up. */
import type { Block } from "../../../protocol/dsl/flow-blocks.ts";
import type { Target } from "../../../protocol/dsl/target.ts";
import type { ScriptLibrary } from "../../../protocol/scalars.ts";
import type { Facts } from "../check-meaning.ts";
import type { Local } from "../sections.ts";
import { Code } from "./code.ts";
import { createKit, type Kit } from "./kit.ts";

/** Default patience, in milliseconds. */
export const defaultTimeoutMs = 10_000;
export const defaultNavigationTimeoutMs = 30_000;

/** Where a block is written. */
export interface Spot {
  block: Block;
  locals: readonly Local[];
  /** The page or frame that its targets are looked for in. */
  scope: string;
  /** In a subflow, which is a function of its own. */
  subflow: boolean;
  /** The label of the loop that `break` means; null where a plain `break` means it. */
  loopLabel: string | null;
}

/** What steps have in common with each other. */
export type Around = Omit<Spot, "block">;

export interface Emission {
  facts: Facts;
  library: ScriptLibrary;
  out: Code;
  kit: Kit;
  dialect: Dialect;
  /** Members of the script's context that the code uses. */
  members: Set<string>;
  /** Types and values of the library that the code names itself. */
  types: Set<string>;
  /** Writes blocks in order: those that hold blocks come back through this. */
  steps(steps: readonly Block[], around: Around): void;
  /** A name that no other has: `frame1`, `frame2`, …. */
  fresh(prefix: string): string;
}

/** What differs between the libraries. */
export interface Dialect {
  /** Lines at the start of `run`. */
  prologue(emit: Emission): void;
  /** Writes a block that acts on a page; false when the kind is not one of its own. */
  block(emit: Emission, spot: Spot): boolean;
  /** An expression on which `.evaluate(function, argument)` can be called for the element. */
  evaluated(emit: Emission, target: Target, spot: Spot): string;
  /** `.evaluate`'s further arguments, for a block with its own patience. */
  evaluateOptions(spot: Spot, hasArgument: boolean): string;
  /** A condition about an element, as it is now. */
  test(emit: Emission, op: ElementTest, target: Target, spot: Spot): string;
  /** How many match now. */
  count(emit: Emission, target: Target, spot: Spot): string;
  /** A list of all elements that match now. */
  all(emit: Emission, target: Target, spot: Spot): string;
  /** The frame that an iframe shows. */
  frame(emit: Emission, target: Target, spot: Spot): string;
  /** Begins to wait for a window; answers the expression of the promise. */
  popup(emit: Emission, spot: Spot): string;
  /** A page that has just become current. */
  adopt(emit: Emission, page: string): void;
  /** Writes a download around the steps that begin it; answers the expression of its path. */
  download(emit: Emission, spot: Spot, saveAs: string | null, trigger: () => void): string;
}

export type ElementTest = "exists" | "visible" | "hidden" | "enabled" | "checked";

export function createEmission(
  facts: Facts,
  library: ScriptLibrary,
  dialect: Dialect,
  emitSteps: (emit: Emission, steps: readonly Block[], around: Around) => void,
): Emission {
  const counts = new Map<string, number>();
  const emission: Emission = {
    facts,
    library,
    dialect,
    out: new Code(),
    kit: createKit(library),
    members: new Set(["page"]),
    types: new Set(["Page"]),
    fresh(prefix) {
      const count = (counts.get(prefix) ?? 0) + 1;
      counts.set(prefix, count);
      return `${prefix}${count}`;
    },
    steps: (steps, around) => emitSteps(emission, steps, around),
  };
  return emission;
}

/** Notes that a member of the script's context is used, and answers its name. */
export function given(emit: Emission, name: string): string {
  emit.members.add(name);
  return name;
}

/** The patience of a block's waits in milliseconds. */
export function patience(emit: Emission, { block }: Spot): number {
  return block.timeoutMs ?? emit.facts.document.settings?.timeoutMs ?? defaultTimeoutMs;
}
