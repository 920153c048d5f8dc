/** Who may import whom, as data (actors/README.md, "Folders"). The rule of a file is the one of the longest folder it stands in. */

export interface ImportRule {
  folder: string;
  /** Folders of ours that it may import besides itself; `*` is everything. */
  may: readonly string[];
  /** May not touch Node: the same input gives the same output anywhere. */
  pure?: true;
  /** The only outside packages it may import for their values; absent: any. */
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
  // actors/proxy-exit is no actor: it measures a proxy's exit, for profile threads at launch and for tasks that test pools.
  { folder: "actors/proxy-exit", may: ["protocol"] },
  // actors/script is no actor: it is the sandboxed process of a script, which profile threads start and a task probes.
  { folder: "actors/profile", may: [...actor, "actors/script", "actors/proxy-exit"] },
  { folder: "actors/runs", may: actor },
  { folder: "actors/scheduler", may: actor },
  { folder: "actors/tasks", may: [...actor, "actors/script", "actors/proxy-exit"] },
  { folder: "actors/script", may: actor },
  { folder: "gateway", may: ["protocol", "actors/kernel"] },
  { folder: "gateway/mcp", may: ["protocol", "gateway"] },
  { folder: "gateway/app", may: ["protocol", "gateway"] },
  { folder: "gateway/cli", may: ["protocol", "gateway"] },
  // What scripts are written against; their authors have this file and nothing of ours besides.
  { folder: "protocol/script", may: [], pure: true },
  { folder: "bench", may: ["*"] },
  { folder: "test", may: ["*"] },
  { folder: ".setup", may: [], packages: ["esbuild"] },
];

/**
 * The rooms in which an outside package comes in through one file, so that a reader finds the one place where it
 * is used. A folder of these that is a room of its own, such as gateway/cli, counts by itself.
 */
export const floorRooms: readonly string[] = importRules
  .map((rule) => rule.folder)
  .filter((folder) => folder !== "test" && folder !== "bench" && folder !== "protocol/script");

/** Where more than one file of a room has to import the same module, and why. `under` names files or folders. */
export const severalImporters: readonly { specifier: string; under: readonly string[]; reason: string }[] = [
  {
    specifier: "tsx/esm/api",
    under: ["actors/kernel/boot.mjs", "actors/kernel/boot-task.mjs"],
    reason: "each is the first module of a thread of its own kind",
  },
  {
    specifier: "typia",
    under: ["protocol/checks/"],
    reason: "each template is compiled by typia, and none of them is there at run time",
  },
  ...["preact", "preact/hooks"].map((specifier) => ({
    specifier,
    under: ["gateway/app/page/"],
    reason: "what the page's parts are written in, as its language",
  })),
];

/** Imports that the table does not give, and why each must be. */
export const exceptions: readonly { from: string; to: string; reason: string }[] = [
  {
    from: "actors/kernel/boot-task.mjs",
    to: "actors/tasks/task.ts",
    reason: "piscina tells a starting thread only which module to load, not which task that is",
  },
];
