/** Converts a document's steps to the tree of blocks that Blockly saves, and back. */
import type { BlockKind, Props } from "./kinds.ts";

export interface BlockState {
  type: string;
  id?: string;
  fields?: Record<string, string>;
  inputs?: Record<string, { block: BlockState }>;
  next?: { block: BlockState };
}

export type Step = Props & { id: string; kind: string };

/** The field that keeps a block's properties, as JSON. */
export const propsField = "PROPS";
export const startType = "start";

export type Kinds = ReadonlyMap<string, BlockKind>;

export const branchInput = (name: string, at: number): string => `${name} ${at + 1}`;

const isStep = (value: unknown): value is Step =>
  typeof value === "object" && value !== null && "kind" in value && "id" in value;

function stepsOf(value: unknown): Step[] {
  return Array.isArray(value) ? value.filter(isStep) : [];
}

function listOf(value: unknown): Props[] {
  return Array.isArray(value) ? value.map((one) => Object(one)) : [];
}

/** The ids of all blocks in a part of a document. */
export function idsIn(value: unknown): string[] {
  if (Array.isArray(value)) return value.flatMap(idsIn);
  if (typeof value !== "object" || value === null) return [];
  return [...(isStep(value) ? [value.id] : []), ...Object.values(value).flatMap(idsIn)];
}

function chain(steps: readonly Step[], kinds: Kinds): BlockState | null {
  return steps.reduceRight<BlockState | null>((next, step) => {
    const { id, kind, ...props } = step;
    const slots = kinds.get(kind)?.slots ?? [];
    const inputs = slots.flatMap((slot) => {
      const block = chain(stepsOf(props[slot]), kinds);
      delete props[slot];
      return block === null ? [] : [[slot, { block }] as const];
    });
    const branch = kinds.get(kind)?.branch ?? null;
    if (branch !== null && branch.name in props) {
      const branches = listOf(props[branch.name]);
      for (const [at, one] of branches.entries()) {
        const block = chain(stepsOf(one[branch.slot]), kinds);
        if (block !== null) inputs.push([branchInput(branch.name, at), { block }]);
      }
      props[branch.name] = branches.map(({ [branch.slot]: _blocks, ...others }) => others);
    }
    return {
      type: kind,
      id,
      fields: { [propsField]: JSON.stringify(props) },
      inputs: Object.fromEntries(inputs),
      ...(next === null ? {} : { next: { block: next } }),
    };
  }, null);
}

export function stateOf(steps: unknown, kinds: Kinds): BlockState {
  const first = chain(stepsOf(steps), kinds);
  return { type: startType, ...(first === null ? {} : { next: { block: first } }) };
}

/** The steps from `state` on; `idOf` maps an id on the canvas to the one in the document. */
export function programOf(state: BlockState | undefined, kinds: Kinds, idOf: (id: string) => string): Step[] {
  const steps: Step[] = [];
  for (let block = state; block !== undefined; block = block.next?.block) {
    const props: Props = JSON.parse(block.fields?.[propsField] ?? "{}");
    const slots = kinds.get(block.type)?.slots ?? [];
    const inside = slots.map((slot) => [slot, programOf(block?.inputs?.[slot]?.block, kinds, idOf)] as const);
    const kept = inside.filter(
      ([slot, held]) => held.length > 0 || slot === "steps" || slot === "then" || slot === "trigger",
    );
    const branch = kinds.get(block.type)?.branch ?? null;
    const inputs = block.inputs;
    if (branch !== null && branch.name in props) {
      props[branch.name] = listOf(props[branch.name]).map((one, at) => {
        const held = inputs?.[branchInput(branch.name, at)]?.block;
        return { ...one, [branch.slot]: programOf(held, kinds, idOf) };
      });
    }
    steps.push({ id: idOf(block.id ?? ""), kind: block.type, ...props, ...Object.fromEntries(kept) });
  }
  return steps;
}

export function summaryOf(props: Props): string {
  const { label, target, ...rest } = props;
  if (typeof label === "string" && label !== "") return label;
  const parts = [Object(target).value, Object(target).name, ...Object.values(rest)];
  const text = parts.find((part) => typeof part === "string" && part !== "");
  return typeof text === "string" ? text.slice(0, 40) : "";
}
