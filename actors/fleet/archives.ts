/** The archive store: immutable objects, by key. Each is checked by its SHA-256 when it is read. */
import { createHash } from "node:crypto";
import { createReadStream } from "node:fs";
import { rm, stat } from "node:fs/promises";
import { Fault } from "../../protocol/faults.ts";
import type { FleetPlace, StoredArchive } from "../../protocol/fleet.ts";
import { openDirectory } from "./directory-store.ts";
import { damaged, isLost, type ObjectStore } from "./object-store.ts";
import { isS3 } from "./s3-place.ts";
import { openS3 } from "./s3-store.ts";

/** Of what is read at once: small pieces cost more than their bytes. */
const pieceBytes = 1024 ** 2;

/** A store may not show at once what it has, and a read may be damaged on the way. */
const readTries = 3;
const readPauseMs = 250;

export interface Archives {
  place: string;
  /** Throws `invalid`: a package is missing. */
  load(): Promise<void>;
  /** Stores a file as `prefix/SHA256`. */
  put(prefix: string, file: string): Promise<StoredArchive>;
  /** Throws `not-found`, `invalid` (damaged), `internal` (the store is away). Leaves no file when it fails. */
  get(archive: StoredArchive, file: string): Promise<void>;
  remove(key: string): Promise<void>;
}

export const profilePrefix = (profileId: string, epoch: number | string) => `profiles/${profileId}/${epoch}`;
export const filesPrefix = (runId: string, profileId: string, epoch: number) =>
  `runs/${runId}/${profileId}/${epoch}`;

export type ArchivePlace = Pick<FleetPlace, "archives" | "storeKeys">;

/** Throws `invalid`: no such kind of store. */
export function openArchives(place: ArchivePlace, store: ObjectStore = storeAt(place)): Archives {
  return {
    place: store.place,
    load: () => store.load(),
    async put(prefix, file) {
      const sha256 = await sha256Of(file);
      const { size: bytes } = await stat(file);
      const archive = { key: `${prefix}/${sha256}`, sha256, bytes };
      await store.put(archive, file);
      return archive;
    },
    async get(archive, file) {
      for (let tries = 1; ; tries += 1) {
        try {
          return await getOnce(store, archive, file);
        } catch (error) {
          await rm(file, { force: true });
          if (tries === readTries || !(error instanceof Fault && isLost(error))) throw error;
        }
        await new Promise((done) => setTimeout(done, readPauseMs));
      }
    },
    remove: (key) => store.remove(key),
  };
}

async function getOnce(store: ObjectStore, archive: StoredArchive, file: string): Promise<void> {
  const { key, sha256, bytes } = archive;
  await store.get(archive, file);
  const { size } = await stat(file);
  if (size !== bytes || (await sha256Of(file)) !== sha256) throw damaged(key, store.place);
}

function storeAt({ archives: uri, storeKeys }: ArchivePlace): ObjectStore {
  if (uri.startsWith("dir:")) return openDirectory(uri.slice("dir:".length));
  if (isS3(uri)) return openS3(uri, storeKeys);
  throw new Fault("invalid", `--archives must be dir:/absolute/path or s3://bucket/prefix, got ${uri}`);
}

async function sha256Of(file: string): Promise<string> {
  const hash = createHash("sha256");
  for await (const chunk of createReadStream(file, { highWaterMark: pieceBytes })) hash.update(chunk);
  return hash.digest("hex");
}
