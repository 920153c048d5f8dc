/** Compiles blocks that contain blocks: branches, loops, `try`, subflows and frames. The same for both libraries. */
import type { Block, BlockOf } from "../../../protocol/dsl/flow-blocks.ts";
import { type Local, loopName, sectionsOf } from "../sections.ts";
import { bareCondition, conditionOf } from "./conditions.ts";
import { type Around, type Emission, given, type Spot } from "./emission.ts";
import { identifier, textOf, valueExpr } from "./expressions.ts";
import { insideTemplate, number, quote } from "./literals.ts";
import { letStopPass } from "./stop.ts";

export const roundsMaxDefault = 10_000;

export function emitFlow(emit: Emission, spot: Spot): boolean {
  const { block } = spot;
  switch (block.kind) {
    case "if":
      emitIf(emit, block, spot);
      return true;
    case "forCount":
    case "forRow":
    case "forEach":
    case "forElement":
    case "while":
      emitLoop(emit, block, spot);
      return true;
    case "break":
    case "continue":
      emit.out.line(spot.loopLabel === null ? `${block.kind};` : `${block.kind} ${spot.loopLabel};`);
      return true;
    case "stop":
      emitStop(emit, block, spot);
      return true;
    case "try":
      emitTry(emit, block, spot);
      return true;
    case "call":
      emitCall(emit, block, spot);
      return true;
    case "iframe":
    case "waitPopup":
    case "download":
      emitOpening(emit, block, spot);
      return true;
    default:
      return false;
  }
}

function inside(spot: Spot, ...locals: Local[]): Around {
  return { ...spot, locals: [...spot.locals, ...locals] };
}

function emitIf(emit: Emission, block: BlockOf<"if">, spot: Spot): void {
  const { out } = emit;
  const condition = (when: typeof block.when) => bareCondition(conditionOf(emit, when, spot));
  out.block(`if (${condition(block.when)})`, () => emit.steps(block.then, spot));
  for (const branch of block.elseIf ?? [])
    out.turn(`else if (${condition(branch.when)})`, () => emit.steps(branch.then, spot));
  const { else: otherwise } = block;
  if (otherwise !== undefined) out.turn("else", () => emit.steps(otherwise, spot));
}

function emitLoop(
  emit: Emission,
  block: BlockOf<"forCount" | "forRow" | "forEach" | "forElement" | "while">,
  spot: Spot,
): void {
  const label = needsLabel(block.steps, false) ? emit.fresh("round") : null;
  const head = loopHead(emit, block, spot);
  emit.out.block(`${label === null ? "" : `${label}: `}${head.code}`, () => {
    if (head.first !== undefined) emit.out.line(head.first);
    const locals = sectionsOf(block)[0]?.locals ?? [];
    emit.steps(block.steps, { ...inside(spot, ...locals), loopLabel: label });
  });
}

/** A retry compiles to a loop, so a `break` inside it needs the label of the outer loop. */
function needsLabel(steps: readonly Block[], retried: boolean): boolean {
  return steps.some((block) => {
    const here = retried || typeof block.onError === "object";
    if (block.kind === "break" || block.kind === "continue") return here;
    return sectionsOf(block).some((section) => !section.loop && needsLabel(section.steps, here));
  });
}

function loopHead(
  emit: Emission,
  block: BlockOf<"forCount" | "forRow" | "forEach" | "forElement" | "while">,
  spot: Spot,
): { code: string; first?: string } {
  const node = quote(block.id);
  if (block.kind === "while") {
    const rounds = emit.fresh("rounds");
    const limit = block.limit ?? roundsMaxDefault;
    return {
      code: `for (let ${rounds} = 1; ${bareCondition(conditionOf(emit, block.when, spot))}; ${rounds} += 1)`,
      first: `if (${rounds} > ${number(limit)}) throw new Error("node ${block.id}: more than ${limit} rounds");`,
    };
  }
  const name = identifier(loopName(block));
  if (block.kind === "forCount") {
    let times = typeof block.times === "number" ? number(block.times) : emit.fresh("rounds");
    if (typeof block.times === "string") {
      const count = emit.kit.use("toCount");
      emit.out.line(`const ${times} = ${count}(${node}, ${valueExpr(emit, block.times, spot).code});`);
    } else times = number(block.times);
    return { code: `for (let ${name} = 0; ${name} < ${times}; ${name} += 1)` };
  }
  const items = block.kind === "forRow" ? given(emit, "rows") : emit.fresh("items");
  if (block.kind === "forEach") {
    const list = emit.kit.use("toList");
    emit.out.line(`const ${items} = ${list}(${node}, ${valueExpr(emit, block.items, spot).code});`);
  } else if (block.kind === "forElement") {
    const all = emit.dialect.all(emit, block.target, spot);
    emit.out.line(
      `const ${items} = ${block.limit === undefined ? all : `(${all}).slice(0, ${block.limit})`};`,
    );
  }
  const counted = JSON.stringify(block.steps).includes("index");
  return {
    code: counted ? `for (const [index, ${name}] of ${items}.entries())` : `for (const ${name} of ${items})`,
  };
}

function emitStop(emit: Emission, block: BlockOf<"stop">, spot: Spot): void {
  const { out } = emit;
  const completed = block.status === "completed";
  const reason = block.reason === undefined ? null : textOf(emit, block.reason, spot);
  if (completed && !spot.subflow) {
    if (reason !== null) out.line(`${given(emit, "log")}.info(${reason});`);
    out.line("return;");
    return;
  }
  const stop = emit.kit.use("Stop");
  const otherwise = quote(completed ? "stopped" : `node ${block.id} stopped the run`);
  out.line(`throw new ${stop}(${completed}, ${reason ?? otherwise});`);
}

function emitTry(emit: Emission, block: BlockOf<"try">, spot: Spot): void {
  const { out } = emit;
  out.block("try", () => emit.steps(block.steps, spot));
  const name = loopName(block);
  if (block.catch !== undefined || block.finally === undefined)
    out.turn("catch (failure)", () => {
      letStopPass(emit, "failure");
      const message = `${emit.kit.use("messageOf")}(failure)`;
      if (block.catch === undefined)
        out.line(`${given(emit, "log")}.warn(\`node ${insideTemplate(block.id)}: \${${message}}\`);`);
      else {
        out.line(`const ${identifier(name)} = ${message};`);
        emit.steps(block.catch, inside(spot, { name, type: "text" }));
      }
    });
  const { finally: last } = block;
  if (last !== undefined) out.turn("finally", () => emit.steps(last, spot));
}

export function subflowName(name: string): string {
  return `${name}Flow`;
}

function emitCall(emit: Emission, block: BlockOf<"call">, spot: Spot): void {
  const subflow = emit.facts.document.subflows?.[block.subflow];
  const args = (subflow?.params ?? []).map(
    (param) => valueExpr(emit, block.args?.[param] ?? null, spot).code,
  );
  emit.out.line(`await ${subflowName(block.subflow)}(${args.join(", ")});`);
}

function emitOpening(emit: Emission, block: BlockOf<"iframe" | "waitPopup" | "download">, spot: Spot): void {
  const { out, dialect } = emit;
  if (block.kind === "iframe") {
    const frame = emit.fresh("frame");
    out.line(`const ${frame} = ${dialect.frame(emit, block.frame, spot)};`);
    out.block("", () => emit.steps(block.steps, { ...spot, scope: frame }));
    return;
  }
  if (block.kind === "download") {
    const saveAs = block.saveAs === undefined ? null : textOf(emit, block.saveAs, spot);
    const path = dialect.download(emit, spot, saveAs, () => emit.steps(block.trigger, spot));
    if (block.saveTo === undefined) out.line(`await ${path};`);
    else {
      emit.members.add("vars");
      out.line(`vars.${block.saveTo} = await ${path};`);
    }
    return;
  }
  const popup = emit.fresh("popup");
  const opener = emit.fresh("opener");
  out.line(`const ${popup} = ${dialect.popup(emit, spot)};`);
  // If the steps fail, report their error instead of this one.
  out.line(`${popup}.catch(() => undefined);`);
  emit.steps(block.trigger, spot);
  out.line(`const ${opener} = page;`);
  out.line(`page = await ${popup};`);
  dialect.adopt(emit, "page");
  out.block("try", () => emit.steps(block.steps, { ...spot, scope: "page" }));
  out.turn("finally", () => out.line(`page = ${opener};`));
}
