/** The day with orval's client. */
import type { MakeClient } from "./day.ts";
import { use } from "./fetcher.ts";
import * as troupe from "./generated/client.ts";

/** Narrows a reply to its success, as users of such a client do. */
function ok<Reply extends { status: number; data: unknown }>(
  reply: Reply,
): Extract<Reply, { status: 200 }>["data"] {
  if (reply.status !== 200) throw new Error(JSON.stringify(reply.data));
  return reply.data as Extract<Reply, { status: 200 }>["data"];
}

export const make: MakeClient = (baseUrl, token) => {
  const api = () => {
    use({ baseUrl, token });
    return troupe;
  };
  return {
    create: async () => ok(await api().createProfiles({ count: 1 })).created[0]?.profile_id ?? "",
    rename: async (id, name) => ok(await api().patchProfile(id, { name })).name,
    addCookie: async (id, cookie) => ok(await api().addCookies(id, { cookies: [cookie] })).taken,
    cookieNames: async (id) => {
      const cookies = ok(await api().readCookies(id));
      return Array.isArray(cookies) ? cookies.map(({ name }) => name) : [];
    },
    duplicate: async (id) =>
      ok(await api().duplicateProfile(id, { with_state: true })).created[0]?.profile_id ?? "",
    checkpoint: async (id) => ok(await api().createCheckpoint(id, { name: "now" })).checkpoint_id,
    async restore(id, checkpointId) {
      await api().restoreCheckpoint(id, checkpointId);
    },
    exported: async (id) => new Uint8Array(await ok(await api().exportProfile(id)).arrayBuffer()),
    async deleteForGood(id) {
      await api().deleteProfile(id, { permanent: true });
    },
    imported: async (archive) => ok(await api().importProfile({ archive })).id,
    saveScript: async (source) => ok(await api().saveScript({ name: "day.ts", source })).scriptId,
    run: async (script_id, profile) =>
      ok(await api().runScript({ script_id, profile_ids: [profile], headless: true })).id,
    status: async (id) => ok(await api().readRun(id)).status,
    files: async (id, profileId) => ok(await api().listRunFiles(id, profileId)).map(({ name }) => name),
    fileBytes: async (id, profileId, name) =>
      new Uint8Array(await ok(await api().readRunFile(id, profileId, name)).arrayBuffer()),
    retry: async (id) => ok(await api().retryRun(id)).id,
    async events(count) {
      const stream = ok(await api().listEvents({ after: 0 })) as object as ReadableStream<Uint8Array>;
      const types: string[] = [];
      let text = "";
      for await (const part of stream) {
        text += new TextDecoder().decode(part);
        types.splice(0, types.length, ...[...text.matchAll(/^event: (.+)$/gm)].map(([, type = ""]) => type));
        if (types.length >= count) break;
      }
      return types;
    },
    async errorOf(id) {
      const reply = await api().readProfile(id);
      return reply.status === 404 ? reply.data.error : "";
    },
  };
};
