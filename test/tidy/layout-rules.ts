/** What stands where, as data: the entries of the top level, made folders, file names and sizes. */

/** Made by a command and git-ignored. */
export const madeFolders: readonly string[] = [
  "node_modules",
  "dist",
  "protocol/generated",
  ".cache",
  "bench/node_modules",
  "bench-results",
  "demo-output",
];

/** Everything that may stand at the top besides dotfiles and what is git-ignored. */
export const topLevel: readonly string[] = [
  "LICENSE",
  "README.md",
  "actors",
  "bench",
  "gateway",
  "package-lock.json",
  "package.json",
  "protocol",
  "storage",
  "test",
  "tsconfig.json",
];

/** actors/README.md, "How the code reads". */
export const fileLinesMax = 300;
export const functionLinesMax = 60;

/** A suite's callback is a list of tests, not a function that one reads as a whole. */
export const suiteFunctions: readonly string[] = ["describe", "suite"];

/** Names that say nothing about what the file owns, with what to do instead. */
export const bannedFileNames: readonly { word: string; instead: string }[] = [
  { word: "utils", instead: "name the file for the one idea it holds" },
  { word: "util", instead: "name the file for the one idea it holds" },
  { word: "helpers", instead: "name the file for the one idea it holds" },
  { word: "helper", instead: "name the file for the one idea it holds" },
  { word: "manager", instead: "name what it owns or decides" },
  { word: "service", instead: "name what it does; the whole of Troupe is the service" },
  { word: "common", instead: "name the idea that its users have in common" },
  { word: "misc", instead: "give each idea a file of its own" },
];
