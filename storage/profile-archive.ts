/** Profile archives: a profile that another service of Troupe can open. A gzipped tar, and a gzip member with the checksum of all before it. */
import { createHash } from "node:crypto";
import { createReadStream } from "node:fs";
import { appendFile, open, readFile, stat } from "node:fs/promises";
import { join } from "node:path";
import { Fault } from "../protocol/faults.ts";
import { isArchivedContent } from "../protocol/generated/archive.ts";
import type { ArchivedContent, ArchivedProfile } from "../protocol/profile-copies.ts";
import { type Manifest, readFiles, readManifest, readUnchanged, writeArchive } from "./archive.ts";
import { addTree } from "./backup-tree.ts";
import { isProfileFile } from "./profile-files.ts";
import { writeEntry, writeUnsynced } from "./unpack.ts";

const profileArchiveKind = "troupe-profile";
const version = 1;
/** The directory of the files in the archive. */
const room = "chromium";
const mayHold = /^chromium\/.+$/s;
/** Copies are in longer directories than the profile, and a system takes 4,096 bytes at most. */
const pathMax = 3_000;
/** Others may have written the archive: a browser's lock in it would keep the profile from starting. */
const skips = (path: string) => path.startsWith(`${room}/`) && !isProfileFile(path.slice(room.length + 1));
const cookieFiles =
  /^(Local State|Last Version|Session Cookies\.json|Default|Default\/(Network|Cookies(-journal)?)|Default\/Network\/Cookies(-journal)?)$/;

/** Of an archive: what `ArchivedContent` says, and its files. */
export type ProfileManifest = Manifest & ArchivedContent;

export interface ExportOptions {
  file: string;
  userDataDir: string;
  profile: ArchivedProfile;
  cookiesOnly: boolean;
  createdAt: string;
}

/** The browser must not run. Throws system errors, `conflict` when a file changes while it is read. */
export async function writeProfileArchive(options: ExportOptions): Promise<{ engine: string | null }> {
  const { file, userDataDir, profile, cookiesOnly, createdAt } = options;
  const engine = await lastVersion(userDataDir);
  await writeArchive(file, async (archive) => {
    const wanted = (path: string) => isProfileFile(path) && (!cookiesOnly || cookieFiles.test(path));
    const { files } = await addTree(archive, { as: room, dir: userDataDir, wanted });
    const manifest: ProfileManifest = {
      kind: profileArchiveKind,
      version,
      createdAt,
      files,
      platform: process.platform,
      engine,
      cookiesOnly,
      profile,
    };
    return manifest;
  });
  const { size } = await stat(file);
  await appendFile(file, trailerOf(await sha256Of(file, size)));
  return { engine };
}

async function lastVersion(userDataDir: string): Promise<string | null> {
  const text = await readFile(join(userDataDir, "Last Version"), "utf8").catch(() => null);
  return text?.trim() || null;
}

/** An empty gzip member whose comment is the checksum: every reader of gzip passes over it. */
function trailerOf(sha256: string): Buffer {
  const header = Buffer.from([0x1f, 0x8b, 8, 0x10, 0, 0, 0, 0, 0, 0xff]);
  const empty = Buffer.from([3, 0, 0, 0, 0, 0, 0, 0, 0, 0]);
  return Buffer.concat([header, Buffer.from(`sha256=${sha256}\0`), empty]);
}

const trailerBytes = trailerOf("0".repeat(64)).length;

async function sha256Of(file: string, bytes: number): Promise<string> {
  const hash = createHash("sha256");
  for await (const chunk of createReadStream(file, { end: bytes - 1 })) hash.update(chunk);
  return hash.digest("hex");
}

/** Unpacks the files into the new directory `dir`. Throws `invalid`: damaged, truncated, of a later release, or no profile archive. */
export async function readProfileArchive(file: string, dir: string): Promise<ProfileManifest> {
  await checkWhole(file);
  const manifest = checked(await readManifest(file).catch(without(file)));
  const files = manifest.files.filter(({ path }) => !skips(path));
  await readFiles(file, { ...manifest, files }, { skips, take: unpackTo(dir, writeEntry) }).catch(
    without(file),
  );
  return manifest;
}

/** The same in one pass, without checksums and not synced, for an archive that is known to be as it was written and can be had again. Throws `invalid`: of a later release, no profile archive. */
export async function readOwnProfileArchive(file: string, dir: string): Promise<void> {
  checked(await readUnchanged(file, { skips, take: unpackTo(dir, writeUnsynced) }).catch(without(file)));
}

const unpackTo =
  (dir: string, write: typeof writeEntry) => (path: string, chunks: AsyncIterable<Uint8Array>) => {
    if (path.length > pathMax)
      throw new Fault(
        "invalid",
        `the archive holds ${JSON.stringify(`${path.slice(0, 80)}…`)}, a path that is too long`,
      );
    return write(dir, { path, chunks }, mayHold);
  };

function checked(manifest: Manifest): ProfileManifest {
  if (manifest.kind !== profileArchiveKind)
    throw new Fault("invalid", `the archive is no profile archive, but ${JSON.stringify(manifest.kind)}`);
  if (manifest.version > version)
    throw new Fault(
      "invalid",
      "the archive was written by a later release of Troupe; import it with that one",
    );
  if (!isArchivedContent(manifest))
    throw new Fault("invalid", "the archive's manifest does not describe a profile; export it again");
  return manifest;
}

/** The caller sent the archive and does not know our file. */
const without =
  (file: string) =>
  (error: unknown): never => {
    if (!(error instanceof Fault)) throw error;
    throw new Fault(error.kind, error.message.replaceAll(file, "the archive"));
  };

async function checkWhole(file: string): Promise<void> {
  const { size } = await stat(file);
  const damaged = (why: string) =>
    new Fault("invalid", `the archive is damaged or incomplete: ${why}; export it again`);
  if (size <= trailerBytes) throw damaged(`it has ${size} bytes`);
  const handle = await open(file);
  try {
    const trailer = Buffer.alloc(trailerBytes);
    await handle.read(trailer, 0, trailerBytes, size - trailerBytes);
    if (!trailer.equals(trailerOf(await sha256Of(file, size - trailerBytes))))
      throw damaged("its checksum does not match");
  } finally {
    await handle.close();
  }
}
