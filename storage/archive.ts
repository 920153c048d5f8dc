/** Archives: a gzipped tar whose last entry is a manifest with the size and SHA-256 of each valid file. */
import { createHash, type Hash } from "node:crypto";
import { createReadStream } from "node:fs";
import { type FileHandle, open, rm } from "node:fs/promises";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { createGunzip, createGzip } from "node:zlib";
import { extract, pack } from "tar-stream";
import { Fault } from "../protocol/faults.ts";

export interface ArchivedFile {
  path: string;
  bytes: number;
  sha256: string;
}

export interface Manifest {
  kind: string;
  version: number;
  createdAt: string;
  files: ArchivedFile[];
}

export interface ArchiveWriter {
  addBytes(path: string, bytes: Uint8Array): Promise<ArchivedFile>;
  /** Throws `conflict` if the file shrinks while it is read. */
  addFile(path: string, source: FileHandle): Promise<ArchivedFile>;
}

const manifestName = "manifest.json";
const manifestBytesMax = 256 * 1024 ** 2;

/**
 * Writes a new archive, mode 0600. `fill` adds files and returns the manifest. Throws
 * `conflict` if the file exists; removes the archive on any failure.
 */
export async function writeArchive(
  file: string,
  fill: (archive: ArchiveWriter) => Promise<Manifest>,
): Promise<Manifest> {
  const handle = await create(file);
  const tar = pack();
  try {
    const written = pipeline(
      Readable.from(tar),
      createGzip({ level: 4 }),
      handle.createWriteStream({ flush: true }),
    );
    const broken = new Promise<never>((_, reject) => {
      written.catch(reject); // After a write error, `fill` would wait forever for the broken stream.
    });
    broken.catch(() => {});
    const filled = fillTar(tar, fill).finally(() => tar.finalize());
    const manifest = await Promise.race([filled, broken]);
    await written;
    return manifest;
  } catch (error) {
    tar.destroy();
    await handle.close().catch(() => {});
    await rm(file, { force: true });
    throw error;
  }
}

async function create(file: string): Promise<FileHandle> {
  try {
    return await open(file, "wx", 0o600);
  } catch (error) {
    if (!(error instanceof Error && "code" in error && error.code === "EEXIST")) throw error;
    throw new Fault("conflict", `${file} already exists; name another file`);
  }
}

type Chunks = AsyncIterable<Uint8Array> | Iterable<Uint8Array>;

const padding = new Uint8Array(64 * 1024);

async function fillTar(
  tar: ReturnType<typeof pack>,
  fill: (archive: ArchiveWriter) => Promise<Manifest>,
): Promise<Manifest> {
  const add = async (path: string, size: number, chunks: Chunks) => {
    let ended: (error?: Error | null) => void = () => {};
    const done = new Promise<void>((resolve, reject) => {
      ended = (error) => (error ? reject(error) : resolve());
    });
    done.catch(() => {}); // It may fail while the file is still being read.
    const entry = tar.entry({ name: path, size, mode: 0o600 }, ended);
    let goOn: () => void = () => {};
    entry.on("error", () => {}); // `done` has it.
    for (const event of ["drain", "close"] as const) entry.on(event, () => goOn());
    const write = async (chunk: Uint8Array) => {
      if (entry.destroyed) await done;
      if (entry.write(chunk)) return;
      await new Promise<void>((resolve) => {
        goOn = resolve;
      });
    };
    const read: ArchivedFile[] = [];
    let left = size;
    try {
      for await (const chunk of hashed(path, chunks, (file) => void read.push(file))) {
        left -= chunk.length;
        await write(chunk);
      }
    } finally {
      // Pad to the announced size, or the next entry would wait for it.
      for (; left > 0; left -= padding.length) await write(padding.subarray(0, left));
      entry.end(undefined);
      await done;
    }
    const [file] = read;
    if (file === undefined || file.bytes !== size) {
      throw new Fault("conflict", `${path} changed while it was read; try again`);
    }
    return file;
  };
  const addBytes = (path: string, bytes: Uint8Array) => add(path, bytes.length, [bytes]);
  const manifest = await fill({
    addBytes,
    async addFile(path, source) {
      const { size } = await source.stat();
      const bytes = { start: 0, end: size - 1, autoClose: false };
      return add(path, size, size === 0 ? [] : source.createReadStream(bytes));
    },
  });
  await addBytes(manifestName, Buffer.from(JSON.stringify(manifest)));
  return manifest;
}

/** The manifest, which is the last entry: reads the whole archive. Throws `invalid` as `readFiles` does. */
export const readManifest = (file: string): Promise<Manifest> =>
  readUnchanged(file, { skips: () => true, take: async () => {} });

export interface FilesReader {
  /** Whether the archive may have this file although its manifest does not list it. */
  skips(path: string): boolean;
  /** Must read the file completely. */
  take(path: string, chunks: AsyncIterable<Uint8Array>): Promise<void>;
}

/** One pass, without checksums: for an archive that is known to be as it was written. Throws `invalid` for one that is truncated. */
export async function readUnchanged(file: string, { skips, take }: FilesReader): Promise<Manifest> {
  let manifest: Manifest | null = null;
  await eachEntry(file, async (entry) => {
    const { name: path, type } = entry.header;
    if (path === manifestName) manifest = parseManifest(await textOf(bytesOf(entry)));
    else if (type !== "file" || skips(path)) entry.resume();
    else await take(path, bytesOf(entry));
  });
  if (manifest !== null) return manifest;
  throw new Fault("invalid", `${file} is truncated, or not an archive of Troupe: it has no manifest`);
}

/**
 * Passes each file of the manifest to `take`. Throws `invalid` for a file that the manifest does not list or has at another length, before
 * reading it, and for a damaged or truncated archive.
 */
export async function readFiles(
  file: string,
  manifest: Manifest,
  { skips, take }: FilesReader,
): Promise<void> {
  const listed = new Map(manifest.files.map((one) => [one.path, one]));
  const found = new Map<string, ArchivedFile>();
  await eachEntry(file, async (entry) => {
    const { name: path, type, size } = entry.header;
    const known = listed.get(path);
    if (path === manifestName || type !== "file" || (known === undefined && skips(path))) {
      entry.resume();
      return;
    }
    const shown = JSON.stringify(path);
    if (known === undefined) {
      throw new Fault("invalid", `${file} holds ${shown}, which its manifest does not list`);
    }
    if (found.has(path)) throw new Fault("invalid", `${file} holds ${shown} twice`);
    if (size !== known.bytes) {
      const lengths = `it has ${size} bytes, and the manifest says ${known.bytes}`;
      throw new Fault("invalid", `${path} in ${file} is damaged: ${lengths}`);
    }
    await take(
      path,
      hashed(path, bytesOf(entry), (read) => void found.set(path, read)),
    );
  });
  checkFiles(file, manifest, found);
}

/** Of what is read and unpacked at once: small pieces cost more than their bytes. */
const pieceBytes = 1024 ** 2;

type Entry = ReturnType<typeof extract> extends AsyncIterable<infer One> ? One : never;

async function eachEntry(file: string, work: (entry: Entry) => Promise<void>): Promise<void> {
  const source = createReadStream(file, { highWaterMark: pieceBytes });
  const gunzip = createGunzip({ chunkSize: pieceBytes });
  const tar = extract();
  try {
    source.on("error", (error) => tar.destroy(error));
    gunzip.on("error", (error) => tar.destroy(error));
    source.pipe(gunzip).pipe(tar as unknown as NodeJS.WritableStream);
    for await (const entry of tar) await work(entry);
  } catch (error) {
    if (error instanceof Fault || (error instanceof Error && "syscall" in error)) throw error;
    throw new Fault(
      "invalid",
      `${file} cannot be read as an archive: ${error instanceof Error ? error.message : error}`,
    );
  } finally {
    source.destroy();
    gunzip.destroy();
  }
}

async function* bytesOf(stream: AsyncIterable<unknown>): AsyncGenerator<Uint8Array> {
  for await (const chunk of stream) {
    if (!(chunk instanceof Uint8Array)) throw new Error("it contains something that is not a file");
    yield chunk;
  }
}

function parseManifest(text: string): Manifest {
  const manifest: Manifest | null = JSON.parse(text); // Validated below, as far as it is used.
  const isOurs =
    typeof manifest?.kind === "string" &&
    typeof manifest.version === "number" &&
    Array.isArray(manifest.files) &&
    manifest.files.every(isArchivedFile);
  if (!isOurs) throw new Error("its manifest is not from Troupe");
  return manifest;
}

function isArchivedFile(one: Partial<ArchivedFile> | null): boolean {
  return typeof one?.path === "string" && typeof one.sha256 === "string" && Number.isSafeInteger(one.bytes);
}

async function textOf(source: AsyncIterable<Uint8Array>): Promise<string> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of source) {
    bytes += chunk.length;
    if (bytes > manifestBytesMax) throw new Error("its manifest is too long");
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString("utf8");
}

function checkFiles(file: string, manifest: Manifest, found: ReadonlyMap<string, ArchivedFile>): void {
  for (const { path, sha256 } of manifest.files) {
    const there = found.get(path);
    if (there === undefined) throw new Fault("invalid", `${file} lacks ${path}`);
    if (there.sha256 !== sha256) {
      throw new Fault("invalid", `${path} in ${file} is damaged: its checksum does not match`);
    }
  }
}

async function* hashed(
  path: string,
  chunks: Chunks,
  told: (file: ArchivedFile) => void,
): AsyncGenerator<Uint8Array> {
  const hash: Hash = createHash("sha256");
  let bytes = 0;
  for await (const chunk of chunks) {
    hash.update(chunk);
    bytes += chunk.length;
    yield chunk;
  }
  told({ path, bytes, sha256: hash.digest("hex") });
}
