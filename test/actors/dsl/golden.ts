/** The golden files: the compiled code of every case and the kit functions. Run this file to write them again. */
import { readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { compileDsl } from "../../../actors/dsl/compile.ts";
import { playwrightKit } from "../../../actors/dsl/emit/kit-playwright.ts";
import { puppeteerKit } from "../../../actors/dsl/emit/kit-puppeteer.ts";
import { sharedKit } from "../../../actors/dsl/emit/kit-shared.ts";
import type { ScriptLibrary } from "../../../protocol/scalars.ts";
import { cases } from "./cases.ts";

export const libraries: readonly ScriptLibrary[] = ["playwright", "puppeteer"];
const kits = { playwright: { ...sharedKit, ...playwrightKit }, puppeteer: { ...sharedKit, ...puppeteerKit } };

/** Sections by name: each case's code without the kit, then every kit function. */
export function compiledSections(library: ScriptLibrary): Map<string, string> {
  const sections = new Map<string, string>();
  for (const [name, document] of cases) {
    const { code, warnings } = compileDsl(document, library);
    const end = code.indexOf("\n}\n", code.indexOf("export default")) + 3;
    sections.set(name, [code.slice(0, end).trimEnd(), ...warnings.map((line) => `! ${line}`)].join("\n"));
  }
  for (const [name, { text }] of Object.entries(kits[library])) sections.set(`kit: ${name}`, text);
  return sections;
}

const fileOf = (library: ScriptLibrary) => new URL(`golden/${library}.golden`, import.meta.url);

export function goldenSections(library: ScriptLibrary): Map<string, string> {
  const parts = readFileSync(fileOf(library), "utf8").split(/^=== (.*)\n/m);
  const sections = new Map<string, string>();
  for (let at = 1; at < parts.length; at += 2) sections.set(parts[at] ?? "", (parts[at + 1] ?? "").trimEnd());
  return sections;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  for (const library of libraries) {
    const text = [...compiledSections(library)].map(([name, code]) => `=== ${name}\n${code}\n`).join("\n");
    writeFileSync(fileOf(library), text);
  }
}
