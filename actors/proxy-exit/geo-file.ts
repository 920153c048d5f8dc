/** Looks up an address in a local MaxMind file, and unloads the file soon after use. */
import { readFile, stat } from "node:fs/promises";
import { knownTimezone } from "../../protocol/timezones.ts";
import { countryCodeOf, type Place } from "./echo-reply.ts";

interface GeoFile {
  look(ip: string): unknown;
}

/** Unload soon: the file is large, and every launching profile thread may load it. */
const keptMs = 5_000;

let held: { path: string; stamp: string; file: Promise<GeoFile>; release: NodeJS.Timeout } | null = null;

/** The location of an address; unknown values are null. Throws if the file cannot be read. */
export async function lookUpPlace(path: string, ip: string): Promise<Place> {
  const record = asRecord((await open(path)).look(ip));
  const country = asRecord(record.country ?? record.registered_country);
  const names = asRecord(asRecord(record.city).names);
  const location = asRecord(record.location);
  return {
    country: textOf(country.iso_code, countryCodeOf),
    city: textOf(names.en ?? record.city, (text) => text || null),
    timezone: textOf(location.time_zone ?? record.timezone, knownTimezone),
  };
}

async function open(path: string): Promise<GeoFile> {
  const found = await stat(path);
  if (!found.isFile()) throw new Error(`${path} is not a file`);
  const { mtimeMs, size } = found;
  const stamp = `${mtimeMs} ${size}`;
  if (held?.path === path && held.stamp === stamp) {
    held.release.refresh();
    return held.file;
  }
  if (held !== null) clearTimeout(held.release);
  const file = read(path);
  const release = setTimeout(() => {
    held = null;
  }, keptMs).unref();
  held = { path, stamp, file, release };
  file.catch(() => {
    if (held?.file === file) held = null;
  });
  return file;
}

async function read(path: string): Promise<GeoFile> {
  const [{ Reader }, bytes] = await Promise.all([import("mmdb-lib"), readFile(path)]);
  const reader = new Reader(bytes);
  return { look: (ip) => reader.get(ip) };
}

function asRecord(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null ? { ...value } : {};
}

function textOf(value: unknown, read: (text: string) => string | null): string | null {
  return typeof value === "string" ? read(value) : null;
}
