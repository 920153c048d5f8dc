/** The demo's calls to the public REST API. */
import { request } from "undici";
import type { Run, RunProfile } from "../../protocol/records.ts";
import type {
  CreateProfilesBody,
  CreateProfilesReply,
  SaveScriptBody,
  SaveScriptReply,
} from "../../protocol/requests.ts";
import type { BatchBody, RunProfilesReply } from "../../protocol/run-requests.ts";

export interface Rest {
  createProfiles(body: CreateProfilesBody): Promise<CreateProfilesReply>;
  saveScript(body: SaveScriptBody): Promise<SaveScriptReply>;
  startBatch(body: BatchBody): Promise<Run>;
  readRun(id: string): Promise<Run>;
  readRunProfiles(id: string): Promise<RunProfile[]>;
}

export function connectRest(apiUrl: string, token: string): Rest {
  // Replies are trusted to match the API's types.
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
