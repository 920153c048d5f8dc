/** Shared state of one compilation: lines, kit functions, facts and generated names. */
import type { Block } from "../../../protocol/dsl/flow-blocks.ts";
import type { Target } from "../../../protocol/dsl/target.ts";
import type { ScriptLibrary } from "../../../protocol/scalars.ts";
import type { Facts } from "../check-meaning.ts";
import type { Local } from "../sections.ts";
import { Code } from "./code.ts";
import { createKit, type Kit } from "./kit.ts";

export const defaultTimeoutMs = 10_000;
export const defaultNavigationTimeoutMs = 30_000;

export interface Spot {
  block: Block;
  locals: readonly Local[];
  scope: string;
  subflow: boolean;
  /** The label that `break` must name; null if a plain `break` works. */
  loopLabel: string | null;
}

export type Around = Omit<Spot, "block">;

export interface Emission {
  facts: Facts;
  library: ScriptLibrary;
  out: Code;
  kit: Kit;
  dialect: Dialect;
  members: Set<string>;
  types: Set<string>;
  steps(steps: readonly Block[], around: Around): void;
  fresh(prefix: string): string;
}

export interface Dialect {
  prologue(emit: Emission): void;
  /** Returns false for block kinds that are the same in both libraries. */
  block(emit: Emission, spot: Spot): boolean;
  evaluated(emit: Emission, target: Target, spot: Spot): string;
  /** Further arguments of `.evaluate` for a block with its own timeout. */
  evaluateOptions(spot: Spot, hasArgument: boolean): string;
  test(emit: Emission, op: ElementTest, target: Target, spot: Spot): string;
  count(emit: Emission, target: Target, spot: Spot): string;
  all(emit: Emission, target: Target, spot: Spot): string;
  frame(emit: Emission, target: Target, spot: Spot): string;
  popup(emit: Emission, spot: Spot): string;
  adopt(emit: Emission, page: string): void;
  /** Emits a download around the steps that trigger it. Returns the expression of its path. */
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

export function given(emit: Emission, name: string): string {
  emit.members.add(name);
  return name;
}

export function patience(emit: Emission, { block }: Spot): number {
  return block.timeoutMs ?? emit.facts.document.settings?.timeoutMs ?? defaultTimeoutMs;
}
