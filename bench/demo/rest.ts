/** The calls of the public REST API that the demo makes. */
import { request } from "undici";
import type { Run, RunProfile } from "../../protocol/records.ts";
import type {
  BatchBody,
  CreateProfilesBody,
  CreateProfilesReply,
  RunProfilesReply,
  SaveScriptBody,
  SaveScriptReply,
} from "../../protocol/requests.ts";

export interface Rest {
  createProfiles(body: CreateProfilesBody): Promise<CreateProfilesReply>;
  saveScript(body: SaveScriptBody): Promise<SaveScriptReply>;
  startBatch(body: BatchBody): Promise<Run>;
  readRun(id: string): Promise<Run>;
  /** All profiles of a run of at most 1000. */
  readRunProfiles(id: string): Promise<RunProfile[]>;
}

export function connectRest(apiUrl: string, token: string): Rest {
  // The replies are typed as the API documents them; the demo trusts its own Troupe.
  async function call<Reply>(method: "GET" | "POST", path: string, body?: object): Promise<Reply> {
    const { statusCode, body: reply } = await request(new URL(path, apiUrl), {
      method,
      headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
      body: body === undefined ? null : JSON.stringify(body),
    });
    const text = await reply.text();
    if (statusCode !== 200) throw new Error(`${method} ${path} answered ${statusCode}: ${text}`);
    return JSON.parse(text);
  }
  return {
    createProfiles: (body) => call("POST", "/v1/profiles", body),
    saveScript: (body) => call("POST", "/v1/scripts", body),
    startBatch: (body) => call("POST", "/v1/scripts/batch", body),
    readRun: (id) => call("GET", `/v1/runs/${id}`),
    async readRunProfiles(id) {
      const reply = await call<RunProfilesReply>("GET", `/v1/runs/${id}/profiles?limit=1000`);
      return reply.profiles;
    },
  };
}
