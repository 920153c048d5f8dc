/** What PostgreSQL stores of a part is sealed with the fleet's key (AES-256-GCM): its database sees no script, variable, row or result. */
import { createCipheriv, createDecipheriv, randomBytes } from "node:crypto";
import { gunzipSync, gzipSync } from "node:zlib";
import { Fault } from "../../protocol/faults.ts";
import type { PartKey } from "./ledger.ts";

const cipher = "aes-256-gcm";
const nonceBytes = 12;
const tagBytes = 16;
const keyBytes = 32;

/** Opened at joining, to tell a wrong key from a damaged part. */
const checkPlace = "key check";

export interface Seal {
  /** JSON, bound to `place`: it opens only there. */
  seal(value: unknown, place: string): Uint8Array;
  /** Throws `invalid`: another key, or a changed or moved value. */
  open<T>(sealed: Uint8Array, place: string): T;
}

export const specPlace = ({ runId, profileId }: PartKey) =>
  `the part of profile ${profileId} in run ${runId}`;
export const endingPlace = ({ runId, profileId }: PartKey) =>
  `the outcome of profile ${profileId} in run ${runId}`;

export const logPlace = ({ runId, profileId }: PartKey) => `the log of profile ${profileId} in run ${runId}`;

export function newKey(): string {
  return randomBytes(keyBytes).toString("base64");
}

/** Throws `invalid`. */
export function createSeal(keyText: string): Seal {
  const key = Buffer.from(keyText, "base64");
  if (key.length !== keyBytes)
    throw new Fault("invalid", `the fleet's key has ${key.length} bytes, not ${keyBytes}`);
  return {
    seal(value, place) {
      const nonce = randomBytes(nonceBytes);
      const sealing = createCipheriv(cipher, key, nonce).setAAD(Buffer.from(place));
      const body = Buffer.concat([sealing.update(gzipSync(JSON.stringify(value))), sealing.final()]);
      return Buffer.concat([nonce, sealing.getAuthTag(), body]);
    },
    open<T>(sealed: Uint8Array, place: string): T {
      const bytes = Buffer.from(sealed);
      try {
        const opening = createDecipheriv(cipher, key, bytes.subarray(0, nonceBytes)).setAAD(
          Buffer.from(place),
        );
        opening.setAuthTag(bytes.subarray(nonceBytes, nonceBytes + tagBytes));
        const body = Buffer.concat([opening.update(bytes.subarray(nonceBytes + tagBytes)), opening.final()]);
        return JSON.parse(gunzipSync(body).toString());
      } catch {
        throw new Fault("invalid", `${place} does not open with this fleet's key`);
      }
    },
  };
}

export function keyCheckOf(seal: Seal): Uint8Array {
  return seal.seal("troupe", checkPlace);
}

/** Throws `invalid`. */
export function refuseOtherKey(seal: Seal, keyCheck: Uint8Array): void {
  try {
    seal.open(keyCheck, checkPlace);
  } catch {
    throw new Fault(
      "invalid",
      "the key in this machine's join token is not the fleet's; make a new one on the head: troupe fleet token",
    );
  }
}
