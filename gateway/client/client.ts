/** `@troupe/client`: the REST API with the types of its OpenAPI document, and help for what takes more than one call. */
import createClient, { type Client } from "openapi-fetch";
import type { components, paths } from "./generated/schema.ts";

/** Of Node; in a browser there is none. */
declare const process: { env: Record<string, string | undefined> } | undefined;

type Schemas = components["schemas"];
export type Profile = Schemas["Profile"];
export type Run = Schemas["Run"];
export type ServiceEvent = Schemas["ServiceEvent"];
export type { components, paths };

export interface ConnectOptions {
  /** Such as `http://127.0.0.1:4477`; default: TROUPE_URL. */
  url?: string;
  /** Default: TROUPE_TOKEN. */
  token?: string;
}

/** What the service refused: its status and its reason. */
export class TroupeError extends Error {
  readonly status: number;

  constructor(status: number, message: string) {
    super(message);
    this.name = "TroupeError";
    this.status = status;
  }
}

export interface WaitOptions {
  /** Ends the waiting, not the run. */
  signal?: AbortSignal;
}

export interface EventOptions extends WaitOptions {
  types?: readonly string[];
  profileId?: string;
  runId?: string;
  /** Events after this id; default: from now on. */
  after?: number;
}

/** The part of Playwright's `chromium` and of Puppeteer that connects. */
interface PlaywrightLike<Browser> {
  connectOverCDP(url: string): Promise<Browser>;
}
interface PuppeteerLike<Browser> {
  connect(options: { browserWSEndpoint: string; defaultViewport: null }): Promise<Browser>;
}

export interface Troupe {
  /** Every operation, by its path. Resolves to `{data, error, response}`; `dataOf` makes that one value. */
  api: Client<paths>;
  /** Resolves with the run when it has ended, however it did. */
  waitForRun(id: string, options?: WaitOptions): Promise<Run>;
  /** Events as they happen. Connects again where it was cut off, and misses none. */
  events(options?: EventOptions): AsyncGenerator<ServiceEvent & { id: number }>;
  /** A profile's lasting address for CDP clients; a connection to it starts the profile. It contains the token. */
  cdpUrl(profileId: string, protocol?: "http" | "ws"): string;
  playwright<Browser>(chromium: PlaywrightLike<Browser>, profileId: string): Promise<Browser>;
  puppeteer<Browser>(puppeteer: PuppeteerLike<Browser>, profileId: string): Promise<Browser>;
  /** The bytes of a file that a run's script wrote, or of one that a profile's page downloaded. */
  runFile(runId: string, profileId: string, name: string): Promise<Uint8Array>;
  download(profileId: string, downloadId: string): Promise<Uint8Array>;
  /** Makes a profile of the bytes of an exported one. */
  importProfile(archive: Uint8Array): Promise<Schemas["ImportedProfile"]>;
  exportProfile(profileId: string): Promise<Uint8Array>;
}

/** The value of a reply. Throws `TroupeError` for what the service refused. */
export async function dataOf<Data>(
  reply: Promise<{ data?: Data; error?: unknown; response: Response }>,
): Promise<NonNullable<Data>> {
  const { data, error, response } = await reply;
  if (response.ok && data !== undefined && data !== null) return data;
  throw refusal(response.status, error);
}

function refusal(status: number, error: unknown): TroupeError {
  const reason = typeof error === "object" && error !== null && "error" in error ? String(error.error) : null;
  const own = status === 401 ? "the token is missing or unknown" : `the service answered ${status}`;
  return new TroupeError(status, reason ?? own);
}

/** Throws when neither the options nor the environment say where the service is. */
export function connect(options: ConnectOptions = {}): Troupe {
  const env = typeof process === "undefined" ? {} : process.env;
  const { url = env.TROUPE_URL, token = env.TROUPE_TOKEN } = options;
  if (!url || !token)
    throw new Error(
      "connect needs url and token, or TROUPE_URL and TROUPE_TOKEN; see: troupe token mint --help",
    );
  const base = new URL(url).origin;
  const authorization = `Bearer ${token}`;
  const api = createClient<paths>({ baseUrl: base, headers: { authorization } });
  const bytesOf = async (reply: Promise<{ data?: ArrayBuffer; error?: unknown; response: Response }>) =>
    new Uint8Array(await dataOf(reply));
  const readRun = (id: string) => dataOf(api.GET("/v1/runs/{id}", { params: { path: { id } } }));
  const cdpUrl = (profileId: string, protocol: "http" | "ws" = "http") =>
    `${base.replace(/^http/, protocol)}/v1/profiles/${profileId}/cdp?token=${encodeURIComponent(token)}`;

  async function* events(wanted: EventOptions = {}): AsyncGenerator<ServiceEvent & { id: number }> {
    const { types, profileId, runId, signal } = wanted;
    let last = wanted.after;
    while (!signal?.aborted) {
      const query = new URLSearchParams();
      if (types !== undefined) query.set("types", types.join());
      if (profileId !== undefined) query.set("profile_id", profileId);
      if (runId !== undefined) query.set("run_id", runId);
      if (last !== undefined) query.set("after", String(last));
      const request = { headers: { authorization }, ...(signal === undefined ? {} : { signal }) };
      const response = await fetch(`${base}/v1/events?${query}`, request);
      if (!response.ok || response.body === null)
        throw refusal(response.status, await response.json().catch(() => null));
      for await (const { id, event } of eventsIn(response.body)) {
        last = id ?? last;
        if (event !== undefined) yield { ...event, id: last ?? 0 };
      }
    }
  }

  return {
    api,
    events,
    cdpUrl,
    async waitForRun(id, { signal } = {}) {
      const leave = new AbortController();
      const signals = signal === undefined ? leave.signal : AbortSignal.any([signal, leave.signal]);
      const following = events({ runId: id, types: ["run.ended"], after: 0, signal: signals });
      try {
        let run = await readRun(id);
        while (run.status === "running" && !(await following.next()).done) run = await readRun(id);
        return run;
      } finally {
        leave.abort();
        await following.return(undefined).catch(() => {});
      }
    },
    playwright: (chromium, profileId) => chromium.connectOverCDP(cdpUrl(profileId)),
    puppeteer: (puppeteer, profileId) =>
      puppeteer.connect({ browserWSEndpoint: cdpUrl(profileId, "ws"), defaultViewport: null }),
    runFile: (id, profile_id, name) =>
      bytesOf(
        api.GET("/v1/runs/{id}/profiles/{profile_id}/files/{name}", {
          params: { path: { id, profile_id, name } },
          parseAs: "arrayBuffer",
        }),
      ),
    download: (id, download_id) =>
      bytesOf(
        api.GET("/v1/profiles/{id}/downloads/{download_id}", {
          params: { path: { id, download_id } },
          parseAs: "arrayBuffer",
        }),
      ),
    exportProfile: (id) =>
      bytesOf(api.GET("/v1/profiles/{id}/export", { params: { path: { id } }, parseAs: "arrayBuffer" })),
    importProfile: (archive) =>
      dataOf(api.POST("/v1/profiles/import", { body: { archive: base64(archive) } })),
  };
}

function base64(bytes: Uint8Array): string {
  const parts: string[] = [];
  for (let at = 0; at < bytes.length; at += 30_000)
    parts.push(String.fromCharCode(...bytes.subarray(at, at + 30_000)));
  return btoa(parts.join(""));
}

/** What a stream says: events, and ids alone, which are the place to go on from. */
async function* eventsIn(
  body: ReadableStream<Uint8Array>,
): AsyncGenerator<{ id?: number; event?: ServiceEvent }> {
  const decoder = new TextDecoder();
  let text = "";
  const reader = body.getReader();
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return;
      text += decoder.decode(value, { stream: true });
      const whole = text.split("\n\n");
      text = whole.pop() ?? "";
      for (const lines of whole) {
        const field = (name: string) => new RegExp(`^${name}: (.*)$`, "m").exec(lines)?.[1];
        const [data, id] = [field("data"), field("id")];
        yield {
          ...(id === undefined ? {} : { id: Number(id) }),
          ...(data === undefined ? {} : { event: JSON.parse(data) as ServiceEvent }),
        };
      }
    }
  } finally {
    await reader.cancel().catch(() => {});
  }
}
