/** Which folder may import which, as data (actors/README.md, "Folders"). The rule of the longest matching folder applies to a file. */

export interface ImportRule {
  folder: string;
  /** Project folders that it may import besides itself; `*` means all. */
  may: readonly string[];
  /** No import of Node modules: the same input gives the same output on every machine. */
  pure?: true;
  /** The only external packages whose values it may import; absent: any. */
  packages?: readonly string[];
}

const pureFolders = ["actors/dsl", "actors/fingerprint", "actors/contract"];
const actor = ["protocol", "actors/kernel", ...pureFolders];

export const importRules: readonly ImportRule[] = [
  { folder: "protocol", may: [], packages: ["typia"] },
  { folder: "storage", may: ["protocol"] },
  { folder: "actors/kernel", may: ["protocol"] },
  ...pureFolders.map((folder): ImportRule => ({ folder, may: ["protocol"], pure: true })),
  { folder: "actors/library", may: [...actor, "storage"] },
  { folder: "actors/pool", may: actor },
  // Not an actor: it measures a proxy's exit, for launches and for tests of proxy pools.
  { folder: "actors/proxy-exit", may: ["protocol"] },
  { folder: "actors/profile", may: [...actor, "actors/script", "actors/proxy-exit"] },
  { folder: "actors/operations", may: actor },
  // Not an actor: what the machines of a fleet share.
  { folder: "actors/fleet", may: ["protocol"] },
  { folder: "actors/runs", may: [...actor, "actors/fleet"] },
  { folder: "actors/scheduler", may: actor },
  { folder: "actors/tasks", may: [...actor, "actors/script", "actors/proxy-exit", "storage"] },
  { folder: "actors/script", may: actor },
  { folder: "gateway", may: ["protocol", "actors/kernel"] },
  // A package of its own, which its users have without the rest.
  { folder: "gateway/client", may: [], packages: ["openapi-fetch"] },
  { folder: "gateway/mcp", may: ["protocol", "gateway"] },
  { folder: "gateway/app", may: ["protocol", "gateway", "actors/kernel"] },
  { folder: "gateway/cli", may: ["protocol", "gateway"] },
  { folder: "gateway/fleet", may: ["protocol", "gateway", "actors/kernel", "actors/fleet"] },
  // Users write scripts against this file and see no other file of the project.
  { folder: "protocol/script", may: [], pure: true },
  { folder: "bench", may: ["*"] },
  { folder: "test", may: ["*"] },
  { folder: ".setup", may: [], packages: ["esbuild", "typescript"] },
];

export const floorRooms: readonly string[] = importRules
  .map((rule) => rule.folder)
  .filter((folder) => folder !== "test" && folder !== "bench" && folder !== "protocol/script");

/** Modules that several files of one folder must import, and why. `under` names files or folders. */
export const severalImporters: readonly { specifier: string; under: readonly string[]; reason: string }[] = [
  {
    specifier: "tsx/esm/api",
    under: ["actors/kernel/boot.mjs", "actors/kernel/boot-task.mjs"],
    reason: "each is the first module of a thread of its own kind",
  },
  {
    specifier: "typia",
    under: ["protocol/checks/"],
    reason: "typia compiles each template, and none of them exists at run time",
  },
  {
    specifier: "esbuild",
    under: [".setup/build.mjs", ".setup/test-bundles.mjs", "test/bundled.ts"],
    reason:
      "what the service runs and what tests run are bundled in different ways, and neither needs the other",
  },
  ...["preact", "preact/hooks"].map((specifier) => ({
    specifier,
    under: ["gateway/app/page/"],
    reason: "every part of the page is written in it",
  })),
];

export const exceptions: readonly { from: string; to: string; reason: string }[] = [
  {
    from: "actors/kernel/boot-task.mjs",
    to: "actors/tasks/task.ts",
    reason: "piscina tells a starting thread only which module to load, not which task that is",
  },
];
