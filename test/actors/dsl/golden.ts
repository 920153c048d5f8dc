/** The golden files: the compiled code of every case. Run this file to write them again. */
import { readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { compileDsl } from "../../../actors/dsl/compile.ts";
import type { ScriptLibrary } from "../../../protocol/scalars.ts";
import { cases } from "./cases.ts";

export const libraries: readonly ScriptLibrary[] = ["playwright", "puppeteer"];

/** The head of a script whose only block is a comment. Cases of one block show only what their block adds to it. */
const plain = "comment n30";

/** Sections by name: each case's code without the kit. */
export function compiledSections(library: ScriptLibrary): Map<string, string> {
  const sections = new Map<string, string>();
  const head = new Set<string>();
  for (const [name, document] of [...cases].sort(
    ([one], [other]) => Number(other === plain) - Number(one === plain),
  )) {
    const { code, warnings } = compileDsl(document, library);
    const end = code.indexOf("\n}\n", code.indexOf("export default")) + 3;
    const lines = code.slice(0, end).trimEnd().split("\n");
    const at = lines.findIndex((line) => line.startsWith("  // "));
    const isFlow = name.startsWith("flow: ");
    const added = isFlow ? lines : lines.filter((line, index) => index >= at || !head.has(line));
    if (name === plain) for (const line of lines) head.add(line);
    sections.set(name, [...added, ...warnings.map((line) => `! ${line}`)].join("\n"));
  }
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
