/** Compiles the whole module: imports, types, `run`, subflows and kit functions. */
import type { ScriptLibrary } from "../../../protocol/scalars.ts";
import type { Facts } from "../check-meaning.ts";
import type { Local } from "../sections.ts";
import { Code } from "./code.ts";
import { type Around, createEmission, type Dialect, type Emission } from "./emission.ts";
import { identifier } from "./expressions.ts";
import { subflowName } from "./flow.ts";
import { key, member, quote, remark } from "./literals.ts";
import { playwright } from "./playwright.ts";
import { puppeteer } from "./puppeteer.ts";
import { emitSteps } from "./steps.ts";
import { usesStop } from "./stop.ts";

const dialects: Record<ScriptLibrary, Dialect> = { playwright, puppeteer };
const packages: Record<ScriptLibrary, string> = {
  playwright: "playwright-core",
  puppeteer: "puppeteer-core",
};

const memberTypes: readonly [string, string][] = [
  ["page", "Page"],
  ["variables", "Record<string, string>"],
  ["row", "Record<string, string> | null"],
  ["rows", "Record<string, string>[]"],
  ["profile", "{ id: string; name: string }"],
  ["run", "{ id: string }"],
  ["log", 'Record<"debug" | "info" | "warn" | "error", (...parts: unknown[]) => void>'],
  ["output", "(row: Record<string, unknown>) => void"],
  ["sleep", "(ms: number) => Promise<void>"],
  ["scratchDir", "string"],
  ["uploadsDir", "string"],
];

export function emitModule(facts: Facts, library: ScriptLibrary): string {
  const emit = createEmission(facts, library, dialects[library], emitSteps);
  const body = runBody(emit);
  const head = new Code();
  const { types, values } = imports(emit);
  head.line(`import type { ${types.join(", ")} } from "${packages[library]}";`);
  if (values.length > 0) head.line(`import { ${values.join(", ")} } from "${packages[library]}";`);
  head.line("");
  head.line("/** The context that this script gets. */");
  const members = memberTypes.filter(([name]) => emit.members.has(name));
  head.block("interface Context", () => {
    for (const [name, type] of members) head.line(`${name}: ${type};`);
  });
  head.line("");
  const { name } = facts.document;
  if (name !== undefined && name.trim() !== "") head.line(`// ${remark(name)}`);
  const run = `export default async function run({ ${members.map(([one]) => one).join(", ")} }: Context): Promise<void>`;
  const kit = emit.kit.functions().map(({ text }) => `\n${text}\n`);
  return `${head.text()}${run} {\n${indented(body)}}\n${kit.join("")}`;
}

function indented(text: string): string {
  return text.replaceAll(/^(?=.)/gm, "  ");
}

/** The body of `run`. Inputs and variables are written first, but known only after the steps are compiled. */
function runBody(emit: Emission): string {
  const { facts, out } = emit;
  const { subflows = {}, steps } = facts.document;
  const around: Around = { locals: [], scope: "page", subflow: false, loopLabel: null };
  emit.dialect.prologue(emit);
  for (const [name, { params = [], steps: inner }] of Object.entries(subflows)) {
    const locals = params.map((param): Local => ({ name: param, type: "value" }));
    const list = params.map((param) => `${identifier(param)}: unknown`).join(", ");
    out.block(`async function ${subflowName(name)}(${list}): Promise<void>`, () =>
      emitSteps(emit, inner, { ...around, locals, subflow: true }),
    );
  }
  const completes = facts.blocks.some(
    ({ block, subflow }) => block.kind === "stop" && block.status === "completed" && subflow !== null,
  );
  if (completes && usesStop(emit)) {
    out.block("try", () => emitSteps(emit, steps, around));
    out.turn("catch (error)", () => {
      emit.members.add("log");
      out.line(`if (!(error instanceof ${emit.kit.use("Stop")}) || !error.completed) throw error;`);
      out.line("log.info(error.message);");
    });
  } else emitSteps(emit, steps, around);
  const text = out.text();
  return declarations(emit, text) + text;
}

function declarations(emit: Emission, body: string): string {
  const head = new Code();
  const { inputs, variables } = emit.facts;
  const used = [...inputs.values()].filter(
    ({ name, required }) => required === true || body.includes(`input.${name}`),
  );
  if (used.length > 0) {
    emit.members.add("variables");
    head.block(
      "const input =",
      () => {
        for (const { name, required, default: otherwise = "" } of used) {
          const code =
            required === true
              ? `${emit.kit.use("required")}(variables, ${quote(name)})`
              : `variables${member(name)} ?? ${quote(otherwise)}`;
          head.line(`${key(name)}: ${code},`);
        }
      },
      "};",
    );
  }
  if (variables.size > 0 || /\bvars\b/.test(body)) head.line("const vars: Record<string, unknown> = {};");
  const text = head.text();
  return text === "\n" ? "" : text;
}

function imports(emit: Emission): { types: string[]; values: string[] } {
  const functions = emit.kit.functions();
  const types = new Set([...emit.types, ...functions.flatMap((one) => one.types ?? [])]);
  const values = new Set(functions.flatMap((one) => one.values ?? []));
  return { types: [...types].sort(), values: [...values].sort() };
}
