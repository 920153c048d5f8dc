/** Where archives in S3, or in what speaks its protocol, are: `s3://BUCKET/PREFIX?endpoint=…&region=…`, and the keys to it. */
import { Fault } from "../../protocol/faults.ts";
import type { StoreKeys } from "../../protocol/fleet.ts";

export interface S3Place {
  /** Of the bucket, without a slash at its end. */
  url: string;
  region: string;
  /** Before each object's key: empty, or with a slash at its end. */
  prefix: string;
  /** For people, without keys. */
  words: string;
  /** Each machine has the keys in its environment, so that the fleet's files and tokens have none. */
  keysOutside: boolean;
}

const form = "s3://BUCKET/PREFIX?endpoint=https://HOST&region=REGION";
const defaultRegion = "us-east-1";
const bucketForm = /^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$/;
const parameters = ["endpoint", "region", "keys"];

/** Throws `invalid`. */
export function s3PlaceOf(uri: string): S3Place {
  const refuse = (why: string) => new Fault("invalid", `--archives ${why}; it is ${form}`);
  let url: URL;
  try {
    url = new URL(uri);
  } catch {
    throw refuse("is no URI");
  }
  // They would be shown wherever the place is.
  if (url.username !== "" || url.password !== "")
    throw refuse("must have no keys in it: set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY");
  const bucket = url.hostname;
  if (!bucketForm.test(bucket))
    throw refuse("must name a bucket, in small letters, digits, dots and hyphens");
  for (const name of url.searchParams.keys())
    if (!parameters.includes(name)) throw refuse(`has an unknown parameter ${name}`);
  const region = url.searchParams.get("region") ?? defaultRegion;
  const endpoint = url.searchParams.get("endpoint") ?? `https://s3.${region}.amazonaws.com`;
  const server = URL.canParse(endpoint) ? new URL(endpoint) : null;
  if (server === null || !/^https?:$/.test(server.protocol) || server.search !== "" || server.username !== "")
    throw refuse("must have an endpoint such as https://s3.example.com");
  const keys = url.searchParams.get("keys");
  if (keys !== null && keys !== "environment") throw refuse("has keys=, which can be environment only");
  let path: string;
  try {
    path = decodeURIComponent(url.pathname).replace(/^\/+|\/+$/g, "");
  } catch {
    throw refuse("has a % that begins no percent-encoding; write %25 for it");
  }
  const base = server.href.replace(/\/+$/, "");
  return {
    url: `${base}/${bucket}`,
    region,
    prefix: path === "" ? "" : `${path}/`,
    words: `the bucket ${bucket} at ${server.host}`,
    keysOutside: keys !== null,
  };
}

/** Those that a machine has: of its environment when the place says so, else `kept`. */
export function keysFor(place: S3Place, kept: StoreKeys | undefined): StoreKeys | null {
  return place.keysOutside ? keysIn(process.env) : (kept ?? null);
}

/** Those that `troupe fleet on` keeps for all machines: of its environment, else those of before. Throws as `s3PlaceOf` and `keysIn`. */
export function keysToKeep(uri: string, before: StoreKeys | undefined): StoreKeys | undefined {
  if (!isS3(uri) || s3PlaceOf(uri).keysOutside) return undefined;
  return keysIn(process.env) ?? before;
}

export const isS3 = (uri: string) => uri.startsWith("s3:");

/** From the usual variables; null: they are not set. Throws `invalid` for half of a pair. */
export function keysIn(env: NodeJS.ProcessEnv): StoreKeys | null {
  const { AWS_ACCESS_KEY_ID: id, AWS_SECRET_ACCESS_KEY: secret, AWS_SESSION_TOKEN: session } = env;
  if (!id && !secret) return null;
  if (!id || !secret)
    throw new Fault("invalid", "AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY must be set together");
  return { id, secret, ...(session ? { session } : {}) };
}
