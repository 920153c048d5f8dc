/** The files that pages download, in the profile's own directory, with a list that survives restarts. Attached clients may choose another directory. */
import { existsSync, readFileSync } from "node:fs";
import { rm, writeFile } from "node:fs/promises";
import { basename, join } from "node:path";
import type { Download, DownloadedFile } from "../../protocol/downloads.ts";
import { Fault } from "../../protocol/faults.ts";
import { limits } from "../../protocol/limits.ts";
import type { DownloadCalls } from "../../protocol/messages/profile.ts";
import { createDeferred, type Deferred } from "../kernel/deferred.ts";
import { replaceFile } from "../kernel/replace-file.ts";
import type { Connection } from "./cdp/connection.ts";
import type { Protocol } from "./cdp/session.ts";
import { within } from "./within.ts";

const nameChars = 200;
const urlChars = 2_000;

/** Follows downloads from now on. Resolves when the browser uses the directory. */
export async function openDownloads(connection: Connection, dir: string): Promise<Downloads> {
  const downloads = new Downloads(connection, dir);
  await downloads.take();
  return downloads;
}

export class Downloads implements DownloadCalls {
  readonly #connection: Connection;
  readonly #dir: string;
  readonly #list: Map<string, Download>;
  /** Called with each download that has completed or failed. */
  onDone: (download: Download) => void = () => {};
  /** Unfinished downloads; each resolves at its end. */
  readonly #going = new Map<string, Deferred<void>>();
  #saved: Promise<void> = Promise.resolve();

  constructor(connection: Connection, dir: string) {
    this.#connection = connection;
    this.#dir = dir;
    this.#list = keptList(join(dir, listName));
    connection.root.on("Browser.downloadWillBegin", (event) => this.#began(event));
    connection.root.on("Browser.downloadProgress", (event) => this.#went(event));
    // When a client detaches, the browser resets the setting, also ours.
    connection.onClientGone(() => {
      this.take().catch(() => {}); // The browser has ended.
    });
  }

  async take(): Promise<void> {
    // Named by their ids, because a second file of the same name would replace the first.
    const setting = { behavior: "allowAndName" as const, downloadPath: this.#dir, eventsEnabled: true };
    await this.#connection.root.send("Browser.setDownloadBehavior", setting);
  }

  areGoing(): boolean {
    return this.#going.size > 0;
  }

  async listDownloads(): Promise<Download[]> {
    return [...this.#list.values()];
  }

  async readDownload({
    downloadId,
    waitMs,
  }: Parameters<DownloadCalls["readDownload"]>[0]): Promise<DownloadedFile> {
    const going = this.#going.get(downloadId);
    if (going !== undefined && waitMs > 0) await within(going.promise, waitMs);
    const { name, state, error } = this.#existing(downloadId);
    if (state === "failed") throw new Fault("conflict", `the download ${downloadId} has failed: ${error}`);
    if (state === "in_progress")
      throw new Fault("conflict", `the download ${downloadId} is in progress; give wait_ms to wait for it`);
    return { path: join(this.#dir, downloadId), name };
  }

  async deleteDownload({ downloadId }: Parameters<DownloadCalls["deleteDownload"]>[0]): Promise<null> {
    const { state } = this.#existing(downloadId);
    if (state === "in_progress") await this.#cancel(downloadId);
    await this.#forget(downloadId);
    await this.#save();
    return null;
  }

  #existing(id: string): Download {
    const known = this.#list.get(id);
    if (known !== undefined) return known;
    throw new Fault("not-found", `the profile has no download ${id}; list the downloads to get their ids`);
  }

  #began({ guid, url, suggestedFilename }: Protocol.Browser.DownloadWillBeginEvent): void {
    this.#going.set(guid, createDeferred());
    this.#list.set(guid, {
      download_id: guid,
      name: basename(suggestedFilename).slice(0, nameChars) || "download",
      url: url.slice(0, urlChars),
      state: "in_progress",
      size: 0,
      started_at: new Date().toISOString(),
    });
  }

  #went({ guid, receivedBytes, totalBytes, state }: Protocol.Browser.DownloadProgressEvent): void {
    const download = this.#list.get(guid);
    if (download === undefined) return;
    download.size = receivedBytes;
    const max = limits.downloadsBytesMax;
    if (state === "inProgress") {
      if (Math.max(receivedBytes, totalBytes) <= max || download.error !== undefined) return;
      download.error = `it is larger than the ${max} bytes that a profile's downloads may have`;
      this.#cancel(guid).catch(() => {}); // It has ended.
      return;
    }
    const isHere = state === "completed" && existsSync(join(this.#dir, guid));
    download.state = isHere ? "completed" : "failed";
    if (!isHere)
      download.error ??=
        state === "completed"
          ? "an attached client has taken it to a directory of its own"
          : "it was cancelled";
    this.onDone(download);
    this.#going.get(guid)?.resolve();
    this.#going.delete(guid);
    this.#tidy().catch(() => {}); // A file that cannot be deleted is tried again with the next one.
  }

  async #cancel(guid: string): Promise<void> {
    await this.#connection.root.send("Browser.cancelDownload", { guid });
  }

  /** Deletes the oldest files beyond the limits, and writes the list. */
  async #tidy(): Promise<void> {
    let bytes = 0;
    let count = 0;
    for (const { download_id: id, state, size } of [...this.#list.values()].reverse()) {
      count += 1;
      bytes += size;
      const isOver = count > limits.downloadsMax || bytes > limits.downloadsBytesMax;
      if (isOver && state !== "in_progress" && count > 1) await this.#forget(id);
    }
    await this.#save();
  }

  async #forget(id: string): Promise<void> {
    this.#list.delete(id);
    await rm(join(this.#dir, id), { force: true });
  }

  /** One write at a time, each with the present list. */
  #save(): Promise<void> {
    const write = () =>
      replaceFile(join(this.#dir, listName), (draft) =>
        writeFile(draft, JSON.stringify([...this.#list.values()])),
      );
    const saved = this.#saved.then(write, write);
    this.#saved = saved.catch(() => {});
    return saved;
  }
}

const listName = "downloads.json";

/** The list of the previous start. */
function keptList(path: string): Map<string, Download> {
  const list = new Map<string, Download>();
  try {
    const kept: Download[] = JSON.parse(readFileSync(path, "utf8"));
    for (const download of kept)
      if (download.state !== "in_progress" && /^[\w-]+$/.test(download.download_id))
        list.set(download.download_id, download);
  } catch {
    // Missing or damaged: the files are no longer listed.
  }
  return list;
}
