/** The day with openapi-fetch, on types of openapi-typescript. */
import createClient from "openapi-fetch";
import type { MakeClient } from "./day.ts";
import type { paths } from "./generated/schema.ts";

export const make: MakeClient = (baseUrl, token) => {
  const client = createClient<paths>({ baseUrl, headers: { authorization: `Bearer ${token}` } });
  const ok = async <Data>(calling: Promise<{ data?: Data; error?: { error?: string } }>): Promise<Data> => {
    const { data, error } = await calling;
    if (data === undefined) throw new Error(error?.error ?? "no data");
    return data;
  };
  const of = (id: string) => ({ params: { path: { id } } });
  const bytes = async (reply: Promise<{ data?: ArrayBuffer }>) => new Uint8Array((await reply).data ?? []);
  return {
    async create() {
      const { created } = await ok(client.POST("/v1/profiles", { body: { count: 1 } }));
      return created[0]?.profile_id ?? "";
    },
    rename: async (id, name) =>
      (await ok(client.PATCH("/v1/profiles/{id}", { ...of(id), body: { name } }))).name,
    addCookie: async (id, cookie) =>
      (await ok(client.POST("/v1/profiles/{id}/cookies", { ...of(id), body: { cookies: [cookie] } }))).taken,
    async cookieNames(id) {
      const cookies = await ok(client.GET("/v1/profiles/{id}/cookies", of(id)));
      return typeof cookies === "string" ? [] : cookies.map(({ name }) => name);
    },
    async duplicate(id) {
      const body = { with_state: true };
      const { created } = await ok(client.POST("/v1/profiles/{id}/duplicate", { ...of(id), body }));
      return created[0]?.profile_id ?? "";
    },
    checkpoint: async (id) =>
      (await ok(client.POST("/v1/profiles/{id}/checkpoints", { ...of(id), body: { name: "now" } })))
        .checkpoint_id,
    async restore(id, checkpoint_id) {
      const path = "/v1/profiles/{id}/checkpoints/{checkpoint_id}/restore";
      await client.POST(path, { params: { path: { id, checkpoint_id } } });
    },
    exported: (id) => bytes(client.GET("/v1/profiles/{id}/export", { ...of(id), parseAs: "arrayBuffer" })),
    async deleteForGood(id) {
      await client.DELETE("/v1/profiles/{id}", { params: { path: { id }, query: { permanent: true } } });
    },
    imported: async (archive) => (await ok(client.POST("/v1/profiles/import", { body: { archive } }))).id,
    saveScript: async (source) =>
      (await ok(client.POST("/v1/scripts", { body: { name: "day.ts", source } }))).scriptId,
    run: async (script_id, profile) =>
      (
        await ok(
          client.POST("/v1/scripts/run", { body: { script_id, profile_ids: [profile], headless: true } }),
        )
      ).id,
    status: async (id) => (await ok(client.GET("/v1/runs/{id}", of(id)))).status,
    files: async (id, profile_id) =>
      (
        await ok(
          client.GET("/v1/runs/{id}/profiles/{profile_id}/files", { params: { path: { id, profile_id } } }),
        )
      ).map(({ name }) => name),
    fileBytes: (id, profile_id, name) =>
      bytes(
        client.GET("/v1/runs/{id}/profiles/{profile_id}/files/{name}", {
          params: { path: { id, profile_id, name } },
          parseAs: "arrayBuffer",
        }),
      ),
    retry: async (id) => (await ok(client.POST("/v1/runs/{id}/retry", of(id)))).id,
    async events(count) {
      const query = { after: 0 };
      const { data } = await client.GET("/v1/events", { params: { query }, parseAs: "stream" });
      const types: string[] = [];
      if (data === null || data === undefined) return types;
      let text = "";
      for await (const part of data.pipeThrough(new TextDecoderStream())) {
        text += part;
        types.splice(0, types.length, ...[...text.matchAll(/^event: (.+)$/gm)].map(([, type = ""]) => type));
        if (types.length >= count) break;
      }
      return types;
    },
    errorOf: async (id) => (await client.GET("/v1/profiles/{id}", of(id))).error?.error ?? "",
  };
};
