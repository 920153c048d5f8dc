/** The application's calls on a data directory without a running service; starts only the library. */
import { createLog } from "../actors/kernel/log.ts";
import { superviseActors } from "../actors/kernel/supervisor.ts";
import type { AppApi } from "../protocol/messages/app.ts";
import { type LibraryApi, type LibraryConfig, libraryDeadlines } from "../protocol/messages/library.ts";
import { callChecks } from "./app/call-checks.ts";

export type OfflineApi = Pick<
  AppApi,
  | "mintToken"
  | "listTokens"
  | "revokeToken"
  | "listScripts"
  | "approveScript"
  | "createRotatingPool"
  | "backup"
  | "readSettings"
  | "changeSettings"
  | "addExtension"
  | "removeExtension"
  | "listExtensions"
>;

export interface Offline {
  api: OfflineApi;
  close(): Promise<void>;
}

const superviseLibrary = (config: (restarted: boolean) => LibraryConfig, scope: string) =>
  superviseActors([{ name: "library", config, peers: [], deadlines: libraryDeadlines }], createLog(scope));

/** Creates a data directory from a backup and opens it once. Throws as the library's start does, and then leaves nothing behind. */
export async function restoreOffline(
  dataDir: string,
  restore: NonNullable<LibraryConfig["restore"]>,
): Promise<void> {
  const config = (restarted: boolean): LibraryConfig => (restarted ? { dataDir } : { dataDir, restore });
  const supervisor = await superviseLibrary(config, "restore");
  await supervisor.api<LibraryApi>("library").close({});
  await supervisor.end("library");
}

/** Throws `conflict` with `detail.code` `data-dir-locked` when a service uses the directory. */
export async function openOffline(dataDir: string): Promise<Offline> {
  const config = (): LibraryConfig => ({ dataDir });
  const supervisor = await superviseLibrary(config, "offline");
  const library = supervisor.api<LibraryApi>("library");
  return {
    api: {
      mintToken: async (input) => library.mintToken(callChecks.mintToken(input)),
      listTokens: (input) => library.listTokens(input),
      revokeToken: async (input) => library.revokeToken(input),
      listScripts: (input) => library.listScripts(input),
      approveScript: ({ scriptId, sha256 }) => library.approveScript({ scriptId, sha256: sha256 ?? null }),
      createRotatingPool: async (input) => library.createRotatingPool(callChecks.createRotatingPool(input)),
      backup: (input) => library.backup({ ...input, running: [] }),
      addExtension: async (input) => library.addExtension(callChecks.addExtension(input)),
      removeExtension: async (input) => library.removeExtension(callChecks.removeExtension(input)),
      listExtensions: (input) => library.listExtensions(input),
      readSettings: (input) => library.readSettings(input),
      changeSettings: async (input) => library.changeSettings(callChecks.changeSettings(input)),
    },
    async close() {
      await library.close({});
      await supervisor.end("library");
    },
  };
}
