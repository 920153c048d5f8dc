/** The application's calls on a data directory without a running service; starts only the library. */
import { createLog } from "../actors/kernel/log.ts";
import { superviseActors } from "../actors/kernel/supervisor.ts";
import type { AppApi } from "../protocol/messages/app.ts";
import type { AppProfileCalls } from "../protocol/messages/app-profiles.ts";
import type { LibraryApi, LibraryConfig } from "../protocol/messages/library.ts";

export type OfflineApi = Omit<
  AppApi,
  | keyof AppProfileCalls
  | "status"
  | "openLink"
  | "showWindow"
  | "apiOn"
  | "apiOff"
  | "startBatch"
  | "saveDslScript"
  | "readDslScript"
  | "reviewScript"
  | "checkScript"
  | "saveAppScript"
  | "listProxies"
  | "testProxies"
  | "deleteProxyPool"
  | "deleteSchedule"
>;

export interface Offline {
  api: OfflineApi;
  close(): Promise<void>;
}

/** A backup may be gigabytes. */
const deadlines = { backup: Number.POSITIVE_INFINITY };

/** Creates a data directory from a backup and opens it once. Throws as the library's start does, and then leaves nothing behind. */
export async function restoreOffline(
  dataDir: string,
  restore: NonNullable<LibraryConfig["restore"]>,
): Promise<void> {
  const config = (restarted: boolean): LibraryConfig => (restarted ? { dataDir } : { dataDir, restore });
  const supervisor = await superviseActors([{ name: "library", config, peers: [] }], createLog("restore"));
  await supervisor.api<LibraryApi>("library").close({});
  await supervisor.end("library");
}

/** Throws `conflict` with `detail.code` `data-dir-locked` when a service uses the directory. */
export async function openOffline(dataDir: string): Promise<Offline> {
  const config = (): LibraryConfig => ({ dataDir });
  const supervisor = await superviseActors(
    [{ name: "library", config, peers: [], deadlines }],
    createLog("offline"),
  );
  const library = supervisor.api<LibraryApi>("library");
  return {
    api: {
      mintToken: (input) => library.mintToken(input),
      listTokens: (input) => library.listTokens(input),
      revokeToken: async (input) => library.revokeToken(input),
      listScripts: (input) => library.listScripts(input),
      approveScript: ({ scriptId, sha256 }) => library.approveScript({ scriptId, sha256: sha256 ?? null }),
      createRotatingPool: (input) => library.createRotatingPool(input),
      backup: (input) => library.backup({ ...input, running: [] }),
      readSettings: (input) => library.readSettings(input),
      changeSettings: (input) => library.changeSettings(input),
    },
    async close() {
      await library.close({});
      await supervisor.end("library");
    },
  };
}
