/** Checks each line for banned words. */
import { wordFiles, wordRules } from "./word-rules.ts";

export function wordFindings(path: string, text: string): string[] {
  if (wordFiles.includes(path)) return [];
  const rules = wordRules.filter(
    ({ except = [], only = "" }) =>
      path.endsWith(only) && !except.some((place) => path === place || path.startsWith(`${place}/`)),
  );
  return text.split("\n").flatMap((line, index) =>
    rules.flatMap(({ pattern, instead }) => {
      const word = pattern.exec(line)?.[0].trim();
      return word === undefined ? [] : [`${path}:${index + 1} not "${word}"; write: ${instead}`];
    }),
  );
}
