/** Unpacked extensions: where they are. Their files stay the user's own and are read at each use. */
import { realpathSync } from "node:fs";
import { isAbsolute } from "node:path";
import type { LaunchExtension } from "../../protocol/extensions.ts";
import { Fault } from "../../protocol/faults.ts";
import { limits } from "../../protocol/limits.ts";
import type { AddedExtension, ExtensionCalls } from "../../protocol/messages/extensions.ts";
import type { Reader } from "../../storage/sqlite.ts";
import { readSetting, storeSetting } from "../../storage/tables/settings.ts";
import type { LibraryContext } from "./context.ts";
import { type Manifest, manifestIn } from "./extension-manifest.ts";

interface Kept {
  id: string;
  dir: string;
  /** As last read, for one whose directory is gone. */
  name: string;
  version: string;
}

const kept = (sql: Reader) => readSetting<Kept[]>(sql, "extensions", []);

/** Or why it would not load now. */
function manifestOf({ id, dir }: Kept): Manifest | string {
  const found = manifestIn(dir);
  if (typeof found === "string") return `${dir} ${found}`;
  return found.id === id ? found : `${dir} now has the id ${found.id}: add it again`;
}

function shown(one: Kept): AddedExtension {
  const now = manifestOf(one);
  const { name, version } = typeof now === "string" ? one : now;
  return {
    extension_id: one.id,
    name,
    version,
    dir: one.dir,
    ...(typeof now === "string" ? { error: now } : {}),
  };
}

function launched(all: readonly Kept[], id: string): LaunchExtension {
  const one = all.find((each) => each.id === id);
  if (one === undefined)
    throw new Fault(
      "not-found",
      `there is no extension ${id}: the user adds it in the application, or with troupe extension add DIR`,
    );
  const now = manifestOf(one);
  if (typeof now === "string") throw new Fault("conflict", `extension ${one.name} does not load: ${now}`);
  return { id, name: now.name, dir: one.dir, changesProxy: now.changesProxy };
}

/** Chromium makes the id of the real path. Throws `invalid`. */
function realDir(dir: string): string {
  if (!isAbsolute(dir))
    throw new Fault("invalid", `dir must be an absolute path, got ${JSON.stringify(dir)}`);
  try {
    return realpathSync(dir);
  } catch {
    throw new Fault("invalid", `dir must be the directory of an unpacked extension; there is no ${dir}`);
  }
}

export function extensionsArea({ database }: LibraryContext): ExtensionCalls {
  return {
    addExtension: ({ dir: given }) =>
      database.write((sql) => {
        const dir = realDir(given);
        const found = manifestIn(dir);
        if (typeof found === "string")
          throw new Fault("invalid", `dir must be the directory of an unpacked extension; ${dir} ${found}`);
        const { id, name, version } = found;
        const others = kept(sql).filter((one) => one.dir !== dir);
        const same = others.find((one) => one.id === id);
        if (same !== undefined)
          throw new Fault("conflict", `${same.dir} has the same id ${id}: remove it first`);
        if (others.length >= limits.extensionsMax)
          throw new Fault(
            "conflict",
            `there are ${limits.extensionsMax} extensions already: remove one first`,
          );
        const added = { id, dir, name, version };
        storeSetting(sql, "extensions", [...others, added]);
        return shown(added);
      }),
    removeExtension: ({ extensionId }) =>
      database.write((sql) => {
        const all = kept(sql);
        const others = all.filter(({ id }) => id !== extensionId);
        if (others.length === all.length)
          throw new Fault("not-found", `there is no extension ${extensionId}`);
        storeSetting(sql, "extensions", others);
        return null;
      }),
    listExtensions: () => database.read((sql) => kept(sql).map(shown)),
    launchExtensions: ({ ids }) =>
      database.read((sql) => {
        const all = kept(sql);
        return [...new Set(ids)].map((id) => launched(all, id));
      }),
  };
}
