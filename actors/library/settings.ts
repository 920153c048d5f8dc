/** Settings and plan: defaults, reading and changing. */
import { closeSync, fstatSync, openSync, readSync } from "node:fs";
import { isAbsolute } from "node:path";
import { Fault } from "../../protocol/faults.ts";
import { isFile } from "../../protocol/file-kind.ts";
import { libraryChecks } from "../../protocol/generated/messages/library.ts";
import { limits } from "../../protocol/limits.ts";
import type { LibraryApi } from "../../protocol/messages/library.ts";
import type { Settings } from "../../protocol/records.ts";
import type { Reader } from "../../storage/sqlite.ts";
import { readSetting, storeSetting } from "../../storage/tables/settings.ts";
import type { LibraryContext } from "./context.ts";

/** The API is off by default (protocol/README.md, "What the service does" 6). */
export const defaultSettings: Settings = {
  apiEnabled: false,
  apiPort: 0,
  browsersMax: 0,
  expensiveCallsMax: limits.expensiveCallsMax,
  idleTimeoutSecs: limits.idleTimeoutSecs,
  runProfileTimeoutMs: limits.runProfileTimeoutMs,
  keepSessionCookies: true,
  freezeAfterSecs: limits.freezeAfterSecs,
  webhookHosts: [],
  runFilesKeptDays: limits.runFilesKeptDays,
  runFilesMbMax: limits.runFilesMbMax,
  isolationMin: "sealed",
  // The first two return the location too; the last one only the address, as a fallback.
  echoUrls: ["https://ipinfo.io/json", "https://ipapi.co/json/", "https://api.ipify.org?format=json"],
  geoFile: null,
  plan: {
    name: "full",
    api: true,
    flow: true,
    parallelRuns: true,
    profilesMax: 10_000,
    browsersMax: 1_000,
    schedulesMax: 10_000,
  },
};

function isFit(sql: Reader, name: string): boolean {
  try {
    const value = readSetting<unknown>(sql, name, undefined);
    libraryChecks.changeSettings({ settings: value === undefined ? {} : { [name]: value } });
    return true;
  } catch {
    return false;
  }
}

/** Stored settings that are ignored because they are invalid. */
export function unfitSettings(sql: Reader): string[] {
  return Object.keys(defaultSettings).filter((name) => !isFit(sql, name));
}

/**
 * Stored settings over the defaults. An invalid one falls back to its default, so that the service starts and the user can correct it.
 */
export function settingsNow(sql: Reader): Settings {
  const setting = <Name extends keyof Settings>(name: Name): Settings[Name] =>
    isFit(sql, name) ? readSetting(sql, name, defaultSettings[name]) : defaultSettings[name];
  return {
    apiEnabled: setting("apiEnabled"),
    apiPort: setting("apiPort"),
    browsersMax: setting("browsersMax"),
    expensiveCallsMax: setting("expensiveCallsMax"),
    idleTimeoutSecs: setting("idleTimeoutSecs"),
    runProfileTimeoutMs: setting("runProfileTimeoutMs"),
    keepSessionCookies: setting("keepSessionCookies"),
    freezeAfterSecs: setting("freezeAfterSecs"),
    webhookHosts: setting("webhookHosts"),
    runFilesKeptDays: setting("runFilesKeptDays"),
    runFilesMbMax: setting("runFilesMbMax"),
    isolationMin: setting("isolationMin"),
    echoUrls: setting("echoUrls"),
    geoFile: setting("geoFile"),
    plan: setting("plan"),
  };
}

/** Throws `invalid` with the setting's name, so that an unusable value fails here and not at the next launch. */
function checkExitSources({ echoUrls = [], geoFile = null }: Partial<Settings>): void {
  for (const url of echoUrls) {
    const protocol = URL.canParse(url) ? new URL(url).protocol : "";
    if (protocol !== "http:" && protocol !== "https:") {
      throw new Fault("invalid", `echoUrls must be http or https addresses, got ${JSON.stringify(url)}`);
    }
  }
  if (geoFile !== null && !(isAbsolute(geoFile) && isGeoFile(geoFile))) {
    const must = "geoFile must be the absolute path of a file in MaxMind's format (.mmdb)";
    throw new Fault("invalid", `${must}, got ${JSON.stringify(geoFile)}`);
  }
}

/** The MaxMind format's marker precedes the metadata, in the last 128 KiB of the file. */
const geoMark = Buffer.from("\xab\xcd\xefMaxMind.com", "latin1");
const geoTailBytes = 128 * 1024;

function isGeoFile(path: string): boolean {
  try {
    if (!isFile(path)) return false;
    const file = openSync(path, "r");
    try {
      const { size } = fstatSync(file);
      const tail = Buffer.alloc(Math.min(size, geoTailBytes));
      readSync(file, tail, 0, tail.length, size - tail.length);
      return tail.includes(geoMark);
    } finally {
      closeSync(file);
    }
  } catch {
    return false;
  }
}

export function settingsArea({
  database,
}: LibraryContext): Pick<LibraryApi, "readSettings" | "changeSettings"> {
  return {
    readSettings: () => database.read(settingsNow),
    changeSettings: ({ settings }) =>
      database.write((sql) => {
        checkExitSources(settings);
        for (const name of Object.keys(defaultSettings)) {
          const value = Object.entries(settings).find(([given]) => given === name)?.[1];
          if (value !== undefined) storeSetting(sql, name, value);
        }
        return settingsNow(sql);
      }),
  };
}
