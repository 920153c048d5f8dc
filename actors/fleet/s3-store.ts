/** Archives in S3, or in what speaks its protocol. */
import { createReadStream, createWriteStream } from "node:fs";
import type { Readable } from "node:stream";
import { text } from "node:stream/consumers";
import { pipeline } from "node:stream/promises";
import { Fault } from "../../protocol/faults.ts";
import type { StoreKeys } from "../../protocol/fleet.ts";
import type { ObjectStore } from "./object-store.ts";
import { keysFor, s3PlaceOf } from "./s3-place.ts";
import { createS3, loadSigner, type S3Limits, s3Limits } from "./s3-request.ts";

/** Throws `invalid`. */
export function openS3(uri: string, kept: StoreKeys | undefined, limits: S3Limits = s3Limits): ObjectStore {
  const place = s3PlaceOf(uri);
  const keys = keysFor(place, kept);
  if (keys === null)
    throw new Fault(
      "invalid",
      "archives in S3 need keys: set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, and AWS_SESSION_TOKEN for keys that expire",
    );
  const send = createS3(place, keys, limits);
  const nothing = async (body: Readable) => void (await text(body));
  return {
    place: place.words,
    load: async () => void (await loadSigner()),
    put: ({ key, sha256, bytes }, file) =>
      send({ method: "PUT", key, bytes, sha256, body: () => createReadStream(file), take: nothing }),
    get: ({ key, bytes }, file) =>
      send({ method: "GET", key, bytes, take: (body) => pipeline(body, createWriteStream(file)) }),
    remove: (key) =>
      send({ method: "DELETE", key, bytes: 0, take: nothing }).catch((error: unknown) => {
        if (!(error instanceof Fault && error.kind === "not-found")) throw error;
      }),
  };
}
