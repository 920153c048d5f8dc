/** The files and output rows of a run or of one part, read while they are sent. */
import { lstat } from "node:fs/promises";
import { join, relative, sep } from "node:path";
import type { RunFile } from "../../protocol/run-requests.ts";
import { columnsOf, csvText, outputRows } from "../../protocol/write-csv.ts";
import type { Actors } from "../actors.ts";
import { partsOf } from "../run-lines.ts";

type Library = Pick<Actors, "library">;

export async function* asLines(objects: AsyncIterable<object>): AsyncGenerator<string> {
  for await (const object of objects) yield `${JSON.stringify(object)}\n`;
}

export async function collected<T>(items: AsyncIterable<T>): Promise<T[]> {
  const all: T[] = [];
  for await (const item of items) all.push(item);
  return all;
}

/** A line for each row, with its profile's id in `profile`. */
export async function* outputLines(actors: Library, runId: string): AsyncGenerator<string> {
  for await (const parts of partsOf(actors, runId))
    for (const row of outputRows(parts, (profileId) => profileId)) yield `${JSON.stringify(row)}\n`;
}

/** The columns of all rows, so it reads them twice. */
export async function* outputCsv(actors: Library, runId: string): AsyncGenerator<string> {
  const columns = new Set(["profile"]);
  for await (const parts of partsOf(actors, runId))
    for (const column of columnsOf(outputRows(parts, (profileId) => profileId))) columns.add(column);
  const first = [...columns];
  yield csvText([], { first });
  for await (const parts of partsOf(actors, runId)) {
    const rows = outputRows(parts, (profileId) => profileId);
    yield csvText(rows, { first, header: false });
  }
}

interface PartFile extends RunFile {
  path: string;
}

/** Throws `not-found` (run, or a profile that it does not have). */
export async function filesOfPart(
  actors: Library & Pick<Actors, "dataDir">,
  runId: string,
  profileId: string,
): Promise<PartFile[]> {
  const part = await actors.library.runProfile({ runId, profileId });
  const directory = join(actors.dataDir, "runs", runId.toLowerCase(), profileId.toLowerCase());
  const files = part.files.map(async (path) => {
    const found = await lstat(path).catch(() => null);
    const name = relative(directory, path).split(sep).join("/");
    return found?.isFile() === true ? { name, bytes: found.size, path } : null;
  });
  return (await Promise.all(files)).filter((file) => file !== null);
}
