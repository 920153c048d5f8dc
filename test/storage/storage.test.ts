/** Storage as a whole: file permissions, encrypted values, and what it refuses to open. */
import assert from "node:assert/strict";
import { chmodSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, test } from "node:test";
import { crc32c } from "../../storage/crc32c.ts";
import { nodeDisk } from "../../storage/disk.ts";
import { openStorage, type Storage } from "../../storage/storage.ts";
import { insertProfile } from "../../storage/tables/profiles.ts";
import { replaceVariables } from "../../storage/tables/variables.ts";
import { openVault } from "../../storage/vault.ts";
import { temporaryDir } from "./open.ts";

const open = (dataDir: string): Promise<Storage> => openStorage({ dataDir, warn: () => {} });

const profile = {
  id: "6f1c1f9e-0000-4000-8000-000000000001",
  name: "A",
  slug: "a",
  os: "linux",
  folder: null,
  groups: [],
  tags: [],
  timezone: "UTC",
  fingerprint: null,
  createdAt: "2026-01-01T00:00:00.000Z",
  lastUsed: null,
  trashedAt: null,
} as const;

describe("the data directory", () => {
  test("is accessible to its owner only, and so are its files", async (t) => {
    const dir = join(temporaryDir(t), "made", "here");
    const storage = await open(dir);
    await storage.database.snapshot();
    const modes = readdirSync(dir).map((name) => [
      name,
      (statSync(join(dir, name)).mode & 0o777).toString(8),
    ]);
    assert.equal((statSync(dir).mode & 0o777).toString(8), "700");
    for (const [name, mode] of modes) {
      const isDir = ["profiles", "uploads", "runs", "tmp"].includes(name ?? "");
      assert.equal(mode, isDir ? "700" : "600", name);
    }
    assert.ok(modes.some(([name]) => name === "vault.key"));
    await storage.close();
  });

  test("that others can read is restricted to its owner", async (t) => {
    const dir = join(temporaryDir(t), "open");
    mkdirSync(dir, { mode: 0o755 });
    await (await open(dir)).close();
    assert.equal((statSync(dir).mode & 0o777).toString(8), "700");
  });

  test("that all users can write to is refused", async (t) => {
    const dir = join(temporaryDir(t), "shared");
    mkdirSync(dir);
    chmodSync(dir, 0o777);
    await assert.rejects(open(dir), { kind: "invalid", message: /shared with other users/ });
  });

  test("is released when the start fails", async (t) => {
    const dir = temporaryDir(t);
    await (await open(dir)).close();
    const snapshot = readFileSync(join(dir, "library.sqlite"));
    writeFileSync(join(dir, "library.sqlite"), "nonsense");
    await assert.rejects(open(dir), { kind: "internal" });
    writeFileSync(join(dir, "library.sqlite"), snapshot);
    await (await open(dir)).close();
  });
});

describe("encrypted values", () => {
  test("are in no file in plain text", async (t) => {
    const dir = temporaryDir(t);
    const secret = "correct horse battery staple";
    const storage = await open(dir);
    const sealed = storage.vault.seal(secret, "here");
    await storage.database.write((sql) => {
      insertProfile(sql, { ...profile, groups: [], tags: [], languages: [] });
      replaceVariables(sql, profile.id, [{ name: "PASSWORD", sealed }]);
    });
    const everything = () =>
      readdirSync(dir).map((name) =>
        statSync(join(dir, name)).isFile() ? readFileSync(join(dir, name)) : Buffer.alloc(0),
      );
    const clear = [
      secret,
      Buffer.from(secret).toString("base64").slice(0, 20),
      Buffer.from(secret).toString("hex"),
    ];
    const holds = (text: string) => everything().some((bytes) => bytes.includes(text));
    assert.ok(holds("PASSWORD"), "the search includes the journal");
    for (const text of clear) assert.ok(!holds(text));
    await storage.close();
    assert.ok(holds("PASSWORD"));
    for (const text of clear) assert.ok(!holds(text));
  });

  test("can be decrypted only in their own record, and not when a bit is changed", async (t) => {
    const vault = await openVault(nodeDisk, temporaryDir(t), true);
    const sealed = vault.seal("s", "place");
    assert.equal(vault.open(sealed, "place"), "s");
    assert.notDeepEqual(vault.seal("s", "place"), sealed);
    assert.throws(() => vault.open(sealed, "elsewhere"), { kind: "internal", message: /elsewhere/ });
    for (let at = 0; at < sealed.length; at++) {
      const changed = Uint8Array.from(sealed, (byte, index) => (index === at ? byte ^ 1 : byte));
      assert.throws(() => vault.open(changed, "place"), { kind: "internal" });
    }
  });

  test("are never discarded: without their key, or with another, the start is refused", async (t) => {
    const dir = temporaryDir(t);
    await (await open(dir)).close();
    const key = readFileSync(join(dir, "vault.key"));
    rmSync(join(dir, "vault.key"));
    await assert.rejects(open(dir), { kind: "internal", message: /vault\.key is missing/ });
    assert.ok(!readdirSync(dir).includes("vault.key"));
    writeFileSync(
      join(dir, "vault.key"),
      key.map((byte) => byte ^ 1),
    );
    await assert.rejects(open(dir), { kind: "internal", message: /not the key/ });
    writeFileSync(join(dir, "vault.key"), key);
    await (await open(dir)).close();
  });
});

test("SQL computes no times, ids or random values, because a replay of the journal executes it again", () => {
  const tables = new URL("../../storage/tables/", import.meta.url);
  const forbidden =
    /\b(random|randomblob|changes|last_insert_rowid|datetime|julianday|strftime|unixepoch)\s*\(|\bcurrent_(date|time|timestamp)\b/i;
  for (const name of readdirSync(tables)) {
    assert.doesNotMatch(readFileSync(new URL(name, tables), "utf8"), forbidden, name);
  }
});

test("CRC-32C of the standard's check string is right", () => {
  const bytes = Buffer.from("123456789");
  assert.equal(crc32c(bytes), 0xe3069283);
  assert.equal(crc32c(bytes.subarray(4), crc32c(bytes.subarray(0, 4))), 0xe3069283);
});
