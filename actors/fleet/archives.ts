/** The archive store: immutable objects, by key. Each is checked by its SHA-256 when it is read. */
import { createHash } from "node:crypto";
import { createReadStream } from "node:fs";
import { rm, stat } from "node:fs/promises";
import { Fault } from "../../protocol/faults.ts";
import type { StoredArchive } from "../../protocol/fleet.ts";
import { openDirectory } from "./directory-store.ts";
import type { ObjectStore } from "./object-store.ts";

export interface Archives {
  place: string;
  /** Stores a file as `prefix/SHA256`. */
  put(prefix: string, file: string): Promise<StoredArchive>;
  /** Throws `not-found`, `invalid` (damaged), `internal` (the store is away). Leaves no file when it fails. */
  get(archive: StoredArchive, file: string): Promise<void>;
  remove(key: string): Promise<void>;
}

export const profilePrefix = (profileId: string, epoch: number | string) => `profiles/${profileId}/${epoch}`;
export const filesPrefix = (runId: string, profileId: string, epoch: number) =>
  `runs/${runId}/${profileId}/${epoch}`;

/** Throws `invalid`: no such kind of store. */
export function openArchives(uri: string): Archives {
  const store = storeAt(uri);
  return {
    place: store.place,
    async put(prefix, file) {
      const sha256 = await sha256Of(file);
      const { size: bytes } = await stat(file);
      const key = `${prefix}/${sha256}`;
      await store.put(key, file, bytes);
      return { key, sha256, bytes };
    },
    async get({ key, sha256, bytes }, file) {
      try {
        await store.get(key, file);
        const { size } = await stat(file);
        if (size === bytes && (await sha256Of(file)) === sha256) return;
      } catch (error) {
        await rm(file, { force: true });
        throw error;
      }
      await rm(file, { force: true });
      throw new Fault(
        "invalid",
        `${key} in ${store.place} is damaged: it is not the archive that was stored`,
      );
    },
    remove: (key) => store.remove(key),
  };
}

function storeAt(uri: string): ObjectStore {
  if (uri.startsWith("dir:")) return openDirectory(uri.slice("dir:".length));
  throw new Fault("invalid", `--archives must be dir:/absolute/path, got ${uri}`);
}

async function sha256Of(file: string): Promise<string> {
  const hash = createHash("sha256");
  for await (const chunk of createReadStream(file)) hash.update(chunk);
  return hash.digest("hex");
}
