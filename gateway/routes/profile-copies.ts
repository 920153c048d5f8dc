/** The routes of duplicates, checkpoints and archives of profiles. */
import { randomUUID } from "node:crypto";
import { rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { Fault } from "../../protocol/faults.ts";
import { limits } from "../../protocol/limits.ts";
import type { ImportProfileBody } from "../../protocol/profile-copies.ts";
import { FileBody, JsonBytes, route } from "../route.ts";
import { badPage, pageOf } from "./list-page.ts";
import { profileNow } from "./profile-now.ts";

const badId = "An id is not a uuid.";
const noProfile = "No profile has this id.";
const noCheckpoint = "No profile has this id, or it has no such checkpoint.";
const archiveType = "application/vnd.troupe.profile";
const common = { tag: "Profiles", quotes: null } as const;

const duplicates = [
  route({
    ...common,
    id: "duplicateProfile",
    method: "POST",
    path: "/v1/profiles/{id}/duplicate",
    access: "write",
    expensive: true,
    summary: "Make copies of a profile",
    description:
      "Each has its folder, groups, tags, time zone, languages, variables and proxy; not its datasets. With `with_state` also its cookies, logins and storage, and by default its device: two browsers that sites take for one.",
    params: "IdParams",
    query: null,
    body: "DuplicateBody",
    bodyOptional: true,
    bodyExamples: { state: { summary: "Logged in as the original is", value: { with_state: true } } },
    reply: { status: 200, schema: "CreateProfilesReply", description: "The copies." },
    faults: { 400: badId, 404: noProfile, 409: "With state: the profile is running." },
    handle: ({ params, body, actors }) =>
      actors.operations.duplicateProfile({
        profileId: params.id,
        count: body.count ?? 1,
        nameTemplate: body.name_template ?? null,
        withState: body.with_state ?? false,
        sameDevice: body.same_device ?? body.with_state ?? false,
      }),
  }),
];

const checkpoints = [
  route({
    ...common,
    id: "listCheckpoints",
    method: "GET",
    path: "/v1/profiles/{id}/checkpoints",
    access: "read",
    expensive: false,
    summary: "The checkpoints of a profile",
    params: "IdParams",
    query: "PageQuery",
    body: null,
    reply: { status: 200, schema: "Checkpoint", array: true, description: "Oldest first." },
    faults: { 400: `${badId} Or ${badPage}`, 404: noProfile },
    async handle({ params, query, actors }) {
      const all = await actors.library.listCheckpoints({ profileId: params.id });
      return pageOf(all, query, ({ checkpoint_id }) => checkpoint_id);
    },
  }),
  route({
    ...common,
    id: "createCheckpoint",
    method: "POST",
    path: "/v1/profiles/{id}/checkpoints",
    access: "write",
    expensive: true,
    summary: "Keep the profile's cookies, logins and storage as they are now",
    description: "Caches are left out. The files are cloned where the file system can, else copied.",
    params: "IdParams",
    query: null,
    body: "CreateCheckpointBody",
    bodyExamples: { before: { summary: "Before a risky run", value: { name: "Before the sale" } } },
    reply: { status: 200, schema: "Checkpoint", description: "The checkpoint." },
    faults: {
      400: `${badId} Or name is missing.`,
      404: noProfile,
      409: "It is running, and restart is not true.",
    },
    handle: ({ params, body, actors }) =>
      actors.operations.createCheckpoint({
        profileId: params.id,
        name: body.name,
        note: body.note ?? null,
        restart: body.restart ?? false,
      }),
  }),
  route({
    ...common,
    id: "restoreCheckpoint",
    method: "POST",
    path: "/v1/profiles/{id}/checkpoints/{checkpoint_id}/restore",
    access: "write",
    expensive: false,
    summary: "Put the profile's files back to a checkpoint; what came later is gone",
    params: "CheckpointParams",
    query: null,
    body: null,
    reply: { status: 204, schema: null, description: "They are as they were." },
    faults: { 400: badId, 404: noCheckpoint, 409: "The profile is running." },
    handle: ({ params, actors }) =>
      actors.operations.restoreCheckpoint({ profileId: params.id, checkpointId: params.checkpoint_id }),
  }),
  route({
    ...common,
    id: "deleteCheckpoint",
    method: "DELETE",
    path: "/v1/profiles/{id}/checkpoints/{checkpoint_id}",
    access: "write",
    expensive: false,
    summary: "Delete a checkpoint",
    params: "CheckpointParams",
    query: null,
    body: null,
    reply: { status: 204, schema: null, description: "It is gone." },
    faults: { 400: badId, 404: noCheckpoint },
    handle: ({ params, actors }) =>
      actors.library.deleteCheckpoint({ profileId: params.id, checkpointId: params.checkpoint_id }),
  }),
];

const archives = [
  route({
    ...common,
    id: "exportProfile",
    method: "GET",
    path: "/v1/profiles/{id}/export",
    access: "write",
    expensive: false,
    summary: "The profile as an archive that another service of Troupe imports",
    description:
      "Its cookies, logins, storage, labels and device, without caches, variable values and the proxy's password: keep it as you keep passwords. A gzipped tar with a manifest and a checksum over all of it.",
    params: "IdParams",
    query: "ExportProfileQuery",
    body: null,
    reply: { status: 200, schema: null, mediaTypes: [archiveType], description: "The archive." },
    faults: { 400: badId, 404: noProfile, 409: "The profile is running." },
    async handle({ params, query, actors }) {
      const cookiesOnly = query.cookies_only ?? false;
      const { file, slug } = await actors.operations.exportProfile({ profileId: params.id, cookiesOnly });
      return new FileBody(file, `${slug}.troupe`, { type: archiveType, temporary: true });
    },
  }),
  route({
    ...common,
    id: "importProfile",
    method: "POST",
    path: "/v1/profiles/import",
    access: "write",
    expensive: true,
    summary: "Make a profile from an archive",
    description: `The body is the archive as \`${archiveType}\`, at most 2 GiB, or JSON with it in base64. The profile gets a new id. \`missing\` says what the archive does not carry.`,
    params: null,
    query: null,
    body: "ImportProfileBody",
    bodyFile: { type: archiveType, bytesMax: limits.profileArchiveBytesMax },
    reply: { status: 200, schema: "ImportedProfile", description: "The profile, and what is missing." },
    faults: {
      400: "The archive is damaged, no profile archive, or of a later release or engine. Nothing is left of it.",
    },
    async handle({ body, file, actors }) {
      const temporary = file === undefined ? await decoded(actors.dataDir, body) : null;
      try {
        const { profileId, missing } = await actors.operations.importProfile({
          file: file ?? temporary ?? "",
        });
        const { json } = await profileNow(actors, profileId);
        const record: object = JSON.parse(Buffer.from(json).toString("utf8"));
        return new JsonBytes(Buffer.from(JSON.stringify({ ...record, missing })));
      } finally {
        if (temporary !== null) await rm(temporary, { force: true });
      }
    },
  }),
];

/** With line breaks, as tools write base64. */
async function decoded(dataDir: string, body: ImportProfileBody): Promise<string> {
  const archive = body.archive.replaceAll(/\s+/g, "");
  if (!/^[A-Za-z0-9+/]*={0,2}$/.test(archive)) throw new Fault("invalid", "archive must be base64");
  const path = join(dataDir, "tmp", randomUUID());
  await writeFile(path, Buffer.from(archive, "base64"), { mode: 0o600 });
  return path;
}

export const profileCopyRoutes = [...duplicates, ...checkpoints, ...archives];
