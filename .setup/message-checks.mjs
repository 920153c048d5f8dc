/**
 * Writes the templates of the checks of calls between threads. Each interface `NameApi` in protocol/messages becomes `nameChecks`, with
 * a check for each method; each type `NameNotice` becomes `checkNameNotice`. Interfaces with other names are parts of these.
 */
import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { root } from "./paths.mjs";
import { StepFailure } from "./say.mjs";
import { filesUnder } from "./stamp.mjs";

const declarations = "protocol/messages";
/** typia compiles it with the templates that are written by hand. */
const templateFolder = "protocol/checks/messages";

function declaredIn(file) {
  const text = readFileSync(join(root, file), "utf8");
  return [...text.matchAll(/^export (?:interface|type) (\w+(?:Api|Notice))\b/gm)].map(([, name]) => name);
}

const messageFiles = () =>
  filesUnder(declarations, (name) => name.endsWith(".ts") && declaredIn(name).length > 0);
const templateFor = (file) => file.replace(declarations, templateFolder);

export const messageTemplates = () => messageFiles().map(templateFor);

/** The compiler, because an interface may inherit methods from other files. */
async function methodLister(files) {
  const { default: ts } = await import("typescript");
  const { config } = ts.readConfigFile(join(root, "tsconfig.json"), ts.sys.readFile);
  const { options } = ts.convertCompilerOptionsFromJson(config.compilerOptions, root);
  const paths = files.map((file) => join(root, file));
  const program = ts.createProgram(paths, options);
  const [broken] = program.getSyntacticDiagnostics();
  if (broken?.file !== undefined) {
    const { line } = broken.file.getLineAndCharacterOfPosition(broken.start);
    const place = `${broken.file.fileName.slice(root.length + 1)}:${line + 1}`;
    throw new StepFailure(`${place}: ${ts.flattenDiagnosticMessageText(broken.messageText, " ")}`, {
      remedy: "correct that line, then run the command again",
    });
  }
  const checker = program.getTypeChecker();
  /** Without page verbs, which are declared in another folder and have checks of their own. */
  const isMessage = (method) =>
    method.declarations?.some((place) => place.getSourceFile().fileName.includes(`/${declarations}/`));
  return (file, name) => {
    const module = checker.getSymbolAtLocation(program.getSourceFile(join(root, file)));
    const found = checker.getExportsOfModule(module).find((type) => type.name === name);
    return checker.getDeclaredTypeOfSymbol(found).getProperties().filter(isMessage);
  };
}

function templateOf(file, methodsOf) {
  const names = declaredIn(file);
  const checks = names.map((name) => {
    if (name.endsWith("Notice")) return `export const check${name} = typia.createAssert<${name}>();\n`;
    const lines = methodsOf(file, name).map(
      (method) => `  ${method.name}: typia.createAssert<Parameters<${name}["${method.name}"]>[0]>(),\n`,
    );
    const actor = name[0].toLowerCase() + name.slice(1, -"Api".length);
    return `export const ${actor}Checks = {\n${lines.join("")}};\n`;
  });
  return `/** Made by .setup/generate.mjs from ${file}. */
import typia from "typia";
import type { ${names.join(", ")} } from "../../${file.slice("protocol/".length)}";

${checks.join("\n")}`;
}

/** Needs the table of page verbs. */
export async function writeMessageTemplates() {
  const files = messageFiles();
  const methodsOf = await methodLister(files);
  mkdirSync(join(root, templateFolder), { recursive: true });
  for (const file of files) writeFileSync(join(root, templateFor(file)), templateOf(file, methodsOf));
}

export const removeMessageTemplates = () =>
  rmSync(join(root, templateFolder), { recursive: true, force: true });
