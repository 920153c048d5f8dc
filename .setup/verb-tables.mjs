/** Writes what joins the page verbs from the listing of protocol/verbs: their table, their checks' template, their works. */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { root } from "./paths.mjs";
import { StepFailure } from "./say.mjs";
import { filesUnder } from "./stamp.mjs";

const table = "protocol/generated/verb-table.ts";
/** typia compiles it with the templates that are written by hand. */
export const template = "protocol/checks/verbs.ts";
const works = "actors/profile/page/generated/works.ts";
export const tables = [table, works];

const workOf = (name) => `actors/profile/page/${name}.ts`;

/** A verb's names, and those of the types that its file exports. */
function verbIn(file) {
  const name = file.slice(file.lastIndexOf("/") + 1, -".ts".length);
  const pascal = name.replace(/(?:^|-)([a-z])/g, (_whole, letter) => letter.toUpperCase());
  const text = readFileSync(join(root, file), "utf8");
  const exported = (type) => new RegExp(`^export (interface|type) ${type}\\b`, "m").test(text);
  const inputs = [`${pascal}Body`, `${pascal}Query`].filter(exported);
  const lacking =
    inputs.length !== 1
      ? `${file} must export ${pascal}Body or ${pascal}Query`
      : existsSync(join(root, workOf(name)))
        ? null
        : `${workOf(name)} is missing: it exports the work of the verb`;
  if (lacking !== null)
    throw new StepFailure(lacking, { remedy: "see .github/CONTRIBUTING.md, Adding a page verb" });
  const id = pascal[0].toLowerCase() + pascal.slice(1);
  return { name, id, input: inputs[0], own: exported(`${pascal}Reply`) ? `${pascal}Reply` : null };
}

const made = (text) => `/** Made by .setup/generate.mjs from protocol/verbs. */\n${text}`;
const lines = (verbs, line) => verbs.map(line).join("\n");

function tableOf(verbs) {
  const replyOf = ({ id, own }) => own ?? `UsualReply<typeof ${id}Verb>`;
  return made(`import type { PageReply, UsualReply, VerbEntry } from "../verb.ts";
${lines(verbs, ({ name, id, input, own }) => `import { type ${[input, own].filter(Boolean).join(", type ")}, verb as ${id}Verb } from "../verbs/${name}.ts";`)}

export interface VerbInputs {
${lines(verbs, ({ id, input }) => `  ${id}: ${input};`)}
}
export interface VerbReplies {
${lines(verbs, (verb) => `  ${verb.id}: ${replyOf(verb)};`)}
}
export type VerbName = keyof VerbInputs;
export type VerbApi = { [Name in VerbName]: (input: VerbInputs[Name]) => Promise<VerbReplies[Name]> };

/** Inputs by the names of their types. */
export interface VerbShapes {
${lines(verbs, ({ input }) => `  ${input}: ${input};`)}
}
/** The types with JSON Schemas. */
export type VerbSchemas = [PageReply, ${verbs.flatMap(({ input, own }) => [input, own].filter(Boolean)).join(", ")}];

export const verbs: { readonly [Name in VerbName]: VerbEntry<VerbInputs[Name], keyof VerbShapes> } = {
${lines(verbs, ({ name, id, input, own }) => `  ${id}: { ...${id}Verb, name: "${name}", input: "${input}", schema: "${own ?? "PageReply"}" },`)}
};

/** A method for each verb, which calls \`run\`. */
export function eachVerb(
  run: <Name extends VerbName>(name: Name, input: VerbInputs[Name]) => Promise<VerbReplies[Name]>,
): VerbApi {
  return {
${lines(verbs, ({ id }) => `    ${id}: (input) => run("${id}", input),`)}
  };
}
`);
}

function templateOf(verbs) {
  return made(`import typia from "typia";
import type { VerbInputs } from "../generated/verb-table.ts";

${lines(verbs, ({ id }) => `const ${id} = typia.createAssertEquals<VerbInputs["${id}"]>();`)}

export const verbChecks = { ${verbs.map(({ id }) => id).join(", ")} };
/** The same checks, by the names of the types. */
export const verbShapeChecks = { ${verbs.map(({ id, input }) => `${input}: ${id}`).join(", ")} };
`);
}

function worksOf(verbs) {
  return made(`import type { VerbName } from "../../../../protocol/generated/verb-table.ts";
import type { Work } from "../work.ts";
${lines(verbs, ({ name, id }) => `import { work as ${id} } from "../${name}.ts";`)}

export const works: { readonly [Name in VerbName]: Work<Name> } = { ${verbs.map(({ id }) => id).join(", ")} };
`);
}

function write(file, text) {
  mkdirSync(dirname(join(root, file)), { recursive: true });
  writeFileSync(join(root, file), text);
}

/** Throws a StepFailure that names the file when a verb is incomplete. */
export function writeVerbTables() {
  const verbs = filesUnder("protocol/verbs", (name) => name.endsWith(".ts")).map(verbIn);
  write(table, tableOf(verbs));
  write(template, templateOf(verbs));
  write(works, worksOf(verbs));
}
