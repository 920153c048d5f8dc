/** Compiles a list of blocks, with their comments and error policies. */
import type { Block } from "../../../protocol/dsl/flow-blocks.ts";
import type { Retry } from "../../../protocol/dsl/scalars.ts";
import { sectionsOf } from "../sections.ts";
import { emitData } from "./data.ts";
import { type Around, type Emission, given, type Spot } from "./emission.ts";
import { emitFlow } from "./flow.ts";
import { insideTemplate, quote, remark } from "./literals.ts";
import { letStopPass } from "./stop.ts";

export function emitSteps(emit: Emission, steps: readonly Block[], around: Around): void {
  for (const block of steps) emitBlock(emit, { ...around, block });
}

function emitBlock(emit: Emission, spot: Spot): void {
  const { block } = spot;
  const { out } = emit;
  if (block.kind === "comment") {
    for (const line of block.text.split(/\r?\n|\r/)) out.line(`// ${remark(line)}`.trimEnd());
    return;
  }
  const label = block.label === undefined ? "" : ` ${quote(remark(block.label))}`;
  if (block.disabled === true) {
    out.line(`// ${block.id} disabled (${block.kind}${label})`);
    return;
  }
  out.line(`// ${block.id} ${block.kind}${label}`);
  const policy = policyOf(emit, block);
  if (policy === "fail") emitPlain(emit, spot);
  else if (policy === "continue") emitPassing(emit, spot);
  else emitRetrying(emit, spot, policy);
}

/** The document's `onError` applies only to blocks that act, not to blocks that contain others or change the flow. */
function policyOf(emit: Emission, block: Block): "fail" | "continue" | Retry {
  if (block.onError !== undefined) return block.onError;
  const own = sectionsOf(block).length === 0 && !["break", "continue", "stop"].includes(block.kind);
  return own ? (emit.facts.document.settings?.onError ?? "fail") : "fail";
}

function emitPlain(emit: Emission, spot: Spot): void {
  if (emitFlow(emit, spot) || emitData(emit, spot) || emit.dialect.block(emit, spot)) return;
  throw new TypeError(`no emitter for blocks of kind ${spot.block.kind}`);
}

function warnPassed(emit: Emission, { block }: Spot, caught: string): void {
  const message = `\`node ${insideTemplate(block.id)} failed and was passed over: \${${emit.kit.use("messageOf")}(${caught})}\``;
  emit.out.line(`${given(emit, "log")}.warn(${message});`);
}

function emitPassing(emit: Emission, spot: Spot): void {
  const { out } = emit;
  out.block("try", () => emitPlain(emit, spot));
  out.turn("catch (error)", () => {
    letStopPass(emit, "error");
    warnPassed(emit, spot, "error");
  });
}

function emitRetrying(emit: Emission, spot: Spot, { retry, then }: Retry): void {
  const { out } = emit;
  const attempt = emit.fresh("attempt");
  out.block(`for (let ${attempt} = 0; ; ${attempt} += 1)`, () => {
    out.block("try", () => {
      emitPlain(emit, spot);
      out.line("break;");
    });
    out.turn("catch (error)", () => {
      letStopPass(emit, "error");
      if (then === "continue")
        out.block(`if (${attempt} === ${retry.times})`, () => {
          warnPassed(emit, spot, "error");
          out.line("break;");
        });
      else out.line(`if (${attempt} === ${retry.times}) throw error;`);
      out.line(`await ${given(emit, "sleep")}(${retry.delayMs});`);
    });
  });
}
