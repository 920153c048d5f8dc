/** The day with the client of @hey-api/openapi-ts. */
import type { MakeClient } from "./day.ts";
import { createClient, createConfig } from "./generated/client/index.ts";
import * as troupe from "./generated/sdk.gen.ts";

export const make: MakeClient = (baseUrl, token) => {
  const client = createClient(createConfig({ baseUrl, auth: token }));
  const base = { client, throwOnError: true } as const;
  const of = (id: string) => ({ ...base, path: { id } });
  const bytes = async (data: Blob | File) => new Uint8Array(await data.arrayBuffer());
  return {
    async create() {
      const { data } = await troupe.createProfiles({ ...base, body: { count: 1 } });
      return data.created[0]?.profile_id ?? "";
    },
    rename: async (id, name) => (await troupe.patchProfile({ ...of(id), body: { name } })).data.name,
    addCookie: async (id, cookie) =>
      (await troupe.addCookies({ ...of(id), body: { cookies: [cookie] } })).data.taken,
    async cookieNames(id) {
      const { data } = await troupe.readCookies(of(id));
      return typeof data === "string" ? [] : data.map(({ name }) => name);
    },
    async duplicate(id) {
      const { data } = await troupe.duplicateProfile({ ...of(id), body: { with_state: true } });
      return data.created[0]?.profile_id ?? "";
    },
    checkpoint: async (id) =>
      (await troupe.createCheckpoint({ ...of(id), body: { name: "now" } })).data.checkpoint_id,
    async restore(id, checkpoint_id) {
      await troupe.restoreCheckpoint({ ...base, path: { id, checkpoint_id } });
    },
    exported: async (id) => bytes((await troupe.exportProfile({ ...of(id), parseAs: "blob" })).data),
    async deleteForGood(id) {
      await troupe.deleteProfile({ ...of(id), query: { permanent: true } });
    },
    imported: async (archive) => (await troupe.importProfile({ ...base, body: { archive } })).data.id,
    saveScript: async (source) =>
      (await troupe.saveScript({ ...base, body: { name: "day.ts", source } })).data.scriptId,
    run: async (script_id, profile) =>
      (await troupe.runScript({ ...base, body: { script_id, profile_ids: [profile], headless: true } })).data
        .id,
    status: async (id) => (await troupe.readRun(of(id))).data.status,
    files: async (id, profile_id) =>
      (await troupe.listRunFiles({ ...base, path: { id, profile_id } })).data.map(({ name }) => name),
    fileBytes: async (id, profile_id, name) =>
      bytes((await troupe.readRunFile({ ...base, path: { id, profile_id, name }, parseAs: "blob" })).data),
    retry: async (id) => (await troupe.retryRun(of(id))).data.id,
    async events(count) {
      const leaving = new AbortController();
      const { stream } = await troupe.listEvents({ client, query: { after: 0 }, signal: leaving.signal });
      const types: string[] = [];
      for await (const event of stream) {
        types.push(event.type);
        if (types.length >= count) break;
      }
      leaving.abort();
      return types;
    },
    async errorOf(id) {
      const { error } = await troupe.readProfile({ client, path: { id } });
      return typeof error === "object" && error !== null && "error" in error ? String(error.error) : "";
    },
  };
};
