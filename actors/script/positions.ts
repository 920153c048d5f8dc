/** Maps positions in stacks from the stripped code back to the user's TypeScript. */
import { SourceMap, type SourceMapPayload } from "node:module";

/** The name of the user's module in every stack. */
export const scriptFile = "script.ts";

const position = /\bscript\.ts:(\d+):(\d+)/g;

/** A function that maps every `script.ts:LINE:COL` of a text. */
export function createPositionMapper(map: SourceMapPayload): (text: string) => string {
  const sourceMap = new SourceMap(map);
  return (text) =>
    text.replace(position, (whole, line: string, column: string) => {
      const entry = sourceMap.findEntry(Number(line) - 1, Number(column) - 1);
      if (!("originalLine" in entry)) return whole;
      return `${scriptFile}:${entry.originalLine + 1}:${entry.originalColumn + 1}`;
    });
}

/** The first script position in a stack, such as `script.ts:7:11`; null when there is none. */
export function firstPosition(stack: string): string | null {
  return stack.match(/\bscript\.ts:\d+:\d+/)?.[0] ?? null;
}
