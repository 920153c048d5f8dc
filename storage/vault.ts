/** The vault seals secrets with AES-256-GCM under a key file (mode 0600) in the data directory. */
import { createCipheriv, createDecipheriv, createHash, randomBytes } from "node:crypto";
import { join } from "node:path";
import { Fault } from "../protocol/faults.ts";
import type { Disk } from "./disk.ts";
import { writeWhole } from "./snapshot.ts";

const cipher = "aes-256-gcm";
const keyBytes = 32;
const nonceBytes = 12;
const tagBytes = 16;
const formatVersion = 1;

export const keyName = "vault.key";

export interface Vault {
  /** Binds the value to `place` (table, row, name); it opens only there. */
  seal(plain: string, place: string): Uint8Array;
  /** Throws `internal` for another key, or a changed or moved value. */
  open(sealed: Uint8Array, place: string): string;
  /** The first 16 hex digits of the key's SHA-256. Identifies the key without revealing it. */
  keyId: string;
}

/** Opens the vault. Creates a missing key only if `mayCreate`, that is, if nothing is sealed yet. */
export async function openVault(disk: Disk, dir: string, mayCreate: boolean): Promise<Vault> {
  const file = join(dir, keyName);
  const known = readKey(disk, file);
  if (known !== null) return vaultOf(file, known);
  if (!mayCreate) {
    throw keyFault(
      `${file} is missing: without it, the secrets in ${dir} cannot be read; restore it from a backup`,
    );
  }
  const key = randomBytes(keyBytes);
  await writeWhole(disk, dir, keyName, key);
  return vaultOf(file, key);
}

function readKey(disk: Disk, file: string): Uint8Array | null {
  try {
    return disk.read(file);
  } catch (error) {
    if (error instanceof Fault) throw error;
    throw keyFault(
      `${file} cannot be read (${error instanceof Error ? error.message : error}); give this user read permission`,
    );
  }
}

export function keyFault(why: string): Fault {
  return new Fault("internal", why, { code: "vault-key" });
}

function vaultOf(file: string, key: Uint8Array): Vault {
  if (key.length !== keyBytes) {
    throw keyFault(`${file} holds ${key.length} bytes, a key has ${keyBytes}; restore it from a backup`);
  }
  return {
    keyId: createHash("sha256").update(key).digest("hex").slice(0, 16),
    seal(plain, place) {
      const nonce = randomBytes(nonceBytes);
      const sealing = createCipheriv(cipher, key, nonce, { authTagLength: tagBytes }).setAAD(
        Buffer.from(place),
      );
      const sealed = [sealing.update(plain, "utf8"), sealing.final()];
      return Buffer.concat([Uint8Array.of(formatVersion), nonce, sealing.getAuthTag(), ...sealed]);
    },
    open(sealed, place) {
      const at = [1, 1 + nonceBytes, 1 + nonceBytes + tagBytes];
      try {
        if (sealed[0] !== formatVersion) throw new Error("unknown format");
        const opening = createDecipheriv(cipher, key, sealed.subarray(at[0], at[1]), {
          authTagLength: tagBytes,
        })
          .setAAD(Buffer.from(place))
          .setAuthTag(sealed.subarray(at[1], at[2]));
        return Buffer.concat([opening.update(sealed.subarray(at[2])), opening.final()]).toString("utf8");
      } catch {
        throw new Fault("internal", `the sealed value of ${place} cannot be opened with ${file}`);
      }
    },
  };
}
