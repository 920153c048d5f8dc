/** Duplicates, checkpoints and archives, with the files of a profile that never ran or runs elsewhere. */
import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  symlinkSync,
  unlinkSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { after, before, test } from "node:test";
import { gunzipSync } from "node:zlib";
import type { ArchivedProfile, Checkpoint, ImportedProfile } from "../../protocol/profile-copies.ts";
import type { Profile } from "../../protocol/records.ts";
import type { CreateProfilesReply } from "../../protocol/requests.ts";
import { writeProfileArchive } from "../../storage/profile-archive.ts";
import { createRandom } from "../seeded-random.ts";
import { createProfiles, startTestService, type TestService } from "./running.ts";

let app: TestService;
let other: TestService;
before(async () => {
  [app, other] = await Promise.all([startTestService(), startTestService()]);
});
after(() => Promise.all([app.stop(), other.stop()]));

const dirOf = (service: TestService, id: string) => join(service.dataDir, "profiles", id, "chromium");
function write(service: TestService, id: string, files: Record<string, string>): void {
  for (const [path, text] of Object.entries(files)) {
    const file = join(dirOf(service, id), path);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, text);
  }
}
const read = (service: TestService, id: string, path: string) =>
  readFileSync(join(dirOf(service, id), path), "utf8");

const state = {
  "Local State": "{}",
  "Last Version": "100.0.1.2",
  "Default/Cookies": "cookies",
  "Default/Local Storage/leveldb/1.ldb": "storage",
  "Default/Cache/Cache_Data/x": "cache",
  "Default/GPUCache/x": "gpu",
};

async function madeWithState(): Promise<string> {
  const [id = ""] = await createProfiles(app.client, 1);
  write(app, id, state);
  await app.client.call("PATCH", `/v1/profiles/${id}`, {
    body: {
      name: "Shop",
      folder: "F",
      tags: ["t"],
      timezone: "Asia/Tokyo",
      languages: ["ja"],
      proxy: "u:p@127.0.0.1:9",
    },
  });
  await app.client.post(`/v1/profiles/${id}/variables`, { variables: { city: "Berlin" } });
  return id;
}
const record = async (service: TestService, id: string) =>
  (await service.client.get(`/v1/profiles/${id}`)).body as Profile;
const detail = (service: TestService, profileId: string) =>
  service.service.actors.library.profileDetail({ profileId });
const duplicate = async (id: string, body: object) => {
  const reply = await app.client.post(`/v1/profiles/${id}/duplicate`, body);
  assert.equal(reply.status, 200, JSON.stringify(reply.body));
  return (reply.body as CreateProfilesReply).created;
};

test("a duplicate has the labels, place, variables and proxy, and a device of its own", async () => {
  const id = await madeWithState();
  const [copy, more] = await duplicate(id, { count: 2 });
  const original = await record(app, id);
  assert.deepEqual([copy?.name, more?.name], ["Shop copy 1", "Shop copy 2"]);
  const shown = await record(app, copy?.profile_id ?? "");
  const { id: _id, name: _name, slug: _slug, createdAt: _at, ...same } = original;
  const { id: _copyId, name: _copyName, slug, createdAt: _copyAt, ...copied } = shown;
  assert.deepEqual(copied, same);
  assert.equal(slug, "shop-copy-1");
  const [one, two] = [await detail(app, id), await detail(app, shown.id)];
  assert.deepEqual([two.timezone, two.languages], [one.timezone, one.languages]);
  assert.notDeepEqual(two.fingerprint, one.fingerprint);
  assert.equal(existsSync(dirOf(app, shown.id)), false, "without state there are no files");
});

test("with state a duplicate has the files without caches, and the same device", async () => {
  const id = await madeWithState();
  const [copy] = await duplicate(id, { with_state: true, name_template: "Twin" });
  const twin = copy?.profile_id ?? "";
  assert.equal(read(app, twin, "Default/Local Storage/leveldb/1.ldb"), "storage");
  assert.deepEqual(readdirSync(join(dirOf(app, twin), "Default")).sort(), ["Cookies", "Local Storage"]);
  assert.deepEqual((await detail(app, twin)).fingerprint, (await detail(app, id)).fingerprint);
});

test("a profile that a browser opens while it is copied is a conflict, and nothing is left", async () => {
  const id = await madeWithState();
  const lock = join(dirOf(app, id), "SingletonLock");
  const entries = (room: string) => readdirSync(join(app.dataDir, room)).length;
  const before = [entries("profiles"), entries("tmp")];
  const asked = app.client.post(`/v1/profiles/${id}/duplicate`, { with_state: true, count: 30 });
  let linked = false;
  while (!linked) {
    // The copy has begun when the first directory is there.
    if (entries("tmp") > Number(before[1])) {
      symlinkSync("elsewhere-1", lock);
      linked = true;
    } else await new Promise((resolve) => setImmediate(resolve));
  }
  const { status, body } = await asked;
  unlinkSync(lock);
  assert.deepEqual(
    [status, Object(body).error],
    [409, `conflict: profile ${id} was opened meanwhile; stop it and try again`],
  );
  assert.deepEqual([entries("profiles"), entries("tmp")], before);
});

test("a checkpoint puts files back, and what came later is gone", async () => {
  const id = await madeWithState();
  const at = `/v1/profiles/${id}/checkpoints`;
  const made = (await app.client.post(at, { name: "Before", note: "note" })).body as Checkpoint;
  assert.deepEqual([made.name, made.note, made.bytes], ["Before", "note", 2 + 9 + 7 + 7]);
  write(app, id, { "Default/Cookies": "changed", "Default/New": "new" });
  const second = (await app.client.post(at, { name: "After" })).body as Checkpoint;
  assert.deepEqual((await app.client.get(at)).body, [made, second]);
  const restore = (checkpoint: string) => app.client.post(`${at}/${checkpoint}/restore`);
  assert.equal((await restore(made.checkpoint_id)).status, 204);
  assert.equal(read(app, id, "Default/Cookies"), "cookies");
  assert.equal(existsSync(join(dirOf(app, id), "Default", "New")), false);
  await restore(second.checkpoint_id);
  assert.equal(read(app, id, "Default/New"), "new");
  assert.equal((await app.client.call("DELETE", `${at}/${made.checkpoint_id}`)).status, 204);
  assert.equal((await restore(made.checkpoint_id)).status, 404);
  assert.deepEqual((await app.client.get(at)).body, [second]);
  assert.deepEqual(readdirSync(join(app.dataDir, "profiles", id)).sort(), ["checkpoints", "chromium"]);
  assert.equal((await app.client.get(`/v1/profiles/${randomUUID()}/checkpoints`)).status, 404);
});

const type = "application/vnd.troupe.profile";
const exported = async (id: string, query = "") => {
  const { status, headers, body } = await app.client.get(`/v1/profiles/${id}/export${query}`);
  assert.deepEqual([status, headers["content-type"]], [200, type]);
  return body as Buffer;
};
const imported = (service: TestService, archive: Buffer) =>
  service.client.post("/v1/profiles/import", undefined, {
    rawBody: archive,
    headers: { "content-type": type },
  });

test("an archive opens on another service as a new profile with the same device, and says what is missing", async () => {
  const id = await madeWithState();
  const archive = await exported(id);
  assert.ok(!gunzipSync(archive).includes("Berlin"), "it holds no variable values");
  const reply = await imported(other, archive);
  assert.equal(reply.status, 200, JSON.stringify(reply.body));
  const { missing, ...profile } = reply.body as ImportedProfile;
  assert.deepEqual(missing, [
    "the values of 1 variables: city",
    "the proxy http://127.0.0.1:9 with its user and password",
  ]);
  assert.deepEqual(await record(other, profile.id), profile);
  assert.deepEqual(
    [profile.name, profile.folder, profile.tags, profile.proxy.enabled],
    ["Shop", "F", ["t"], false],
  );
  assert.deepEqual((await detail(other, profile.id)).fingerprint, (await detail(app, id)).fingerprint);
  assert.equal(read(other, profile.id, "Default/Local Storage/leveldb/1.ldb"), "storage");
  const again = await imported(app, archive);
  assert.match(Object(again.body).slug, /^shop-\d+$/);
  assert.notEqual(Object(again.body).slug, (await record(app, id)).slug);
  const base64 = await other.client.post("/v1/profiles/import", { archive: archive.toString("base64") });
  assert.equal(base64.status, 200);
  assert.deepEqual(readdirSync(join(app.dataDir, "tmp")), []);
  assert.deepEqual(readdirSync(join(other.dataDir, "tmp")), []);
});

test("an archive with a value that a change of the profile refuses is refused, with nothing left behind", async () => {
  const about = { userDataDir: "/none", cookiesOnly: false, createdAt: "2026-11-27T00:00:00.000Z" };
  const profile: ArchivedProfile = {
    ...{ name: "Forged", os: "linux", folder: null, groups: ["a", "a"], tags: [], timezone: "UTC" },
    ...{ languages: [], fingerprint: null, variables: [], proxy: null },
  };
  const wrongs: [Partial<ArchivedProfile>, RegExp | null][] = [
    [{}, null],
    [{ timezone: "Mars/X" }, /timezone must be an IANA name/],
    [{ languages: ["zz_$$"] }, /languages must hold BCP 47 tags/],
    [{ name: "\u0000" }, /name must be text without control characters/],
    [{ name: "a\ud800" }, /name must be text without control characters/],
  ];
  const directories = () => readdirSync(join(other.dataDir, "profiles")).length;
  for (const [index, [wrong, why]] of wrongs.entries()) {
    const file = join(app.dataDir, `forged-${index}.troupe`);
    const before = directories();
    await writeProfileArchive({ ...about, file, profile: { ...profile, ...wrong } });
    const { status, body } = await imported(other, readFileSync(file));
    assert.equal(status, why === null ? 200 : 400, JSON.stringify(body));
    if (why === null) assert.deepEqual(Object(body).groups, ["a"]);
    else assert.match(Object(body).error, why);
    assert.equal(directories(), before + (why === null ? 1 : 0));
  }
});

test("with cookies only, an archive has no storage, and the import says so", async () => {
  const id = await madeWithState();
  const reply = await imported(other, await exported(id, "?cookies_only=true"));
  const { id: made, missing } = reply.body as ImportedProfile;
  assert.match(missing.join(), /storage, history and extensions/);
  assert.deepEqual(readdirSync(join(dirOf(other, made), "Default")), ["Cookies"]);
});

test("an archive with a byte that is flipped or missing anywhere is refused, with nothing left behind", async () => {
  const id = await madeWithState();
  const archive = await exported(id);
  const profiles = async () => ((await other.client.get("/v1/profiles")).body as Profile[]).length;
  const [before, directories] = [await profiles(), readdirSync(join(other.dataDir, "profiles")).length];
  const random = createRandom(7);
  const count = Number(process.env.DAMAGED_ARCHIVES ?? 24);
  for (let at = 0; at < count; at++) {
    const place =
      at < 20 ? (at < 10 ? at : archive.length - 1 - (at - 10)) : Math.floor(random() * archive.length);
    const damaged =
      at % 2 === 0
        ? Buffer.from(archive)
        : Buffer.concat([archive.subarray(0, place), archive.subarray(place + 1)]);
    if (at % 2 === 0) damaged[place] = (damaged[place] ?? 0) ^ (1 << Math.floor(random() * 8));
    const { status, body } = await imported(other, damaged);
    assert.equal(status, 400, `byte ${place}: ${JSON.stringify(body)}`);
    assert.match(Object(body).error, /archive is damaged or incomplete/);
  }
  assert.equal(await profiles(), before);
  assert.equal(readdirSync(join(other.dataDir, "profiles")).length, directories);
  assert.deepEqual(readdirSync(join(other.dataDir, "tmp")), []);
});

test("a newer engine's profile, another file and a caller who may only read are refused in words", async () => {
  const id = await madeWithState();
  write(app, id, { "Last Version": "9999.0.0.0" });
  const newer = await imported(other, await exported(id));
  assert.match(
    JSON.stringify([newer.status, newer.body]),
    /400.*used by Chromium 9999.0.0.0, and this machine has the older/,
  );
  const text = await imported(other, Buffer.from("words ".repeat(100)));
  assert.match(JSON.stringify([text.status, text.body]), /400.*archive is damaged or incomplete/);
  const { token } = await other.service.actors.library.mintToken({ name: "reader", access: "read" });
  await other.service.actors.library.tokenKeys({});
  const refused = await other.client.post("/v1/profiles/import", undefined, {
    rawBody: "x",
    token,
    headers: { "content-type": type },
  });
  assert.ok([401, 403].includes(refused.status));
  const none = await other.client.post("/v1/profiles/import", { archive: "not base64!" });
  assert.match(JSON.stringify([none.status, none.body]), /400.*archive must be base64/);
});

test("an archive without its type, or packed again, is refused with what is wrong; base64 may have line breaks", async () => {
  const archive = await exported(await madeWithState());
  const send = (headers: Record<string, string>) =>
    other.client.post("/v1/profiles/import", undefined, { rawBody: archive, headers });
  for (const headers of [
    {},
    { "content-type": "application/octet-stream" },
    { "content-type": "application/gzip" },
  ]) {
    const { status, body } = await send(headers);
    assert.match(
      JSON.stringify([status, body]),
      /400.*a file is sent with Content-Type: application\/vnd.troupe.profile/,
    );
  }
  const packed = await send({ "content-type": type, "content-encoding": "gzip" });
  assert.match(JSON.stringify([packed.status, packed.body]), /400.*Content-Encoding must be left out/);
  const lines = archive.toString("base64").replaceAll(/(.{76})/g, "$1\n");
  assert.equal((await other.client.post("/v1/profiles/import", { archive: lines })).status, 200);
});
