/** Leads positions in stacks back to the user's own lines: the runner knows the stripped code, the user the TypeScript. */
import { SourceMap, type SourceMapPayload } from "node:module";

/** The name that the user's module has in every stack. */
export const scriptFile = "script.ts";

const position = /\bscript\.ts:(\d+):(\d+)/g;

/** A function that rewrites every `script.ts:LINE:COL` of a text. */
export function createPositionMapper(map: SourceMapPayload): (text: string) => string {
  const sourceMap = new SourceMap(map);
  return (text) =>
    text.replace(position, (whole, line: string, column: string) => {
      const entry = sourceMap.findEntry(Number(line) - 1, Number(column) - 1);
      if (!("originalLine" in entry)) return whole;
      return `${scriptFile}:${entry.originalLine + 1}:${entry.originalColumn + 1}`;
    });
}

/** The first position in the script that a stack names, such as `script.ts:7:11`; null when it names none. */
export function firstPosition(stack: string): string | null {
  return stack.match(/\bscript\.ts:\d+:\d+/)?.[0] ?? null;
}
