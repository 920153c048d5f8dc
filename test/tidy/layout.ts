/** Checks places, names and sizes of files. Each check returns one line per finding; an empty list means that all is right. */
import {
  bannedFileNames,
  fileLinesMax,
  functionAllLinesMax,
  functionLinesMax,
  madeFolders,
  suiteFunctions,
  topLevel,
} from "./layout-rules.ts";
import type { Source } from "./tree.ts";

export function topLevelFindings(names: readonly string[]): string[] {
  const present = names.filter((name) => !name.startsWith(".") && !madeFolders.includes(name));
  return [
    ...present
      .filter((name) => !topLevel.includes(name) && !name.endsWith(".log"))
      .map((name) => `${name} is not allowed at the top level; move it into a folder`),
    ...topLevel.filter((name) => !names.includes(name)).map((name) => `${name} is missing at the top level`),
  ];
}

export function nameFindings(path: string): string[] {
  const base = path.slice(path.lastIndexOf("/") + 1);
  const stem = base.replace(/(\.test|\.d)?\.(tsx?|mjs)$/, "");
  const findings: string[] = [];
  if (!/^[a-z0-9]+(-[a-z0-9]+)*$/.test(stem)) findings.push(`${path}: file names are in kebab-case`);
  for (const { word, instead } of bannedFileNames) {
    if (stem.split("-").includes(word)) findings.push(`${path}: not "${word}"; ${instead}`);
  }
  return findings;
}

export function sizeFindings(source: Source): string[] {
  const findings: string[] = [];
  const lines = source.text.split("\n").length - (source.text.endsWith("\n") ? 1 : 0);
  if (lines > fileLinesMax) {
    findings.push(`${source.path}: ${lines} lines, at most ${fileLinesMax}; split it by idea`);
  }
  for (const span of source.functions) {
    if (span.argumentOf !== null && suiteFunctions.includes(span.argumentOf)) continue;
    const at = `${source.path}:${span.line} a function of`;
    if (span.lines > functionLinesMax)
      findings.push(`${at} ${span.lines} lines, at most ${functionLinesMax}`);
    if (span.allLines > functionAllLinesMax)
      findings.push(`${at} ${span.allLines} lines with its inner ones, at most ${functionAllLinesMax}`);
  }
  return findings;
}

export function headerFindings(source: Source): string[] {
  if (source.hasHeader) return [];
  return [`${source.path}: the first line must be a comment that says what the file owns or decides`];
}
