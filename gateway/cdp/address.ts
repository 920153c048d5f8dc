/** A profile's CDP address that stays: `/v1/profiles/{id}/cdp` on the API's own port (protocol/README.md, "Browser-control address"). */
import { randomUUID } from "node:crypto";
import type { IncomingMessage } from "node:http";
import type { Duplex } from "node:stream";
import { Fault, faultKinds } from "../../protocol/faults.ts";
import { limits } from "../../protocol/limits.ts";
import { isLoopbackHost } from "../../protocol/loopback-host.ts";
import type { Settings } from "../../protocol/records.ts";
import type { Actors } from "../actors.ts";
import { type Exchange, targetOf } from "../boundary.ts";
import type { Tokens } from "../gate/auth.ts";
import { charge, checkPlan, refuseReader } from "../gate/invoke.ts";
import type { Budget } from "../gate/rate-limit.ts";
import { send } from "../http-client.ts";
import { faultText, respond } from "../respond.ts";
import type { Principal } from "../route.ts";
import { profileNow } from "../routes/profile-now.ts";
import { createRelay } from "./relay.ts";

export interface CdpContext {
  actors: Pick<Actors, "pool" | "library">;
  tokens: Tokens;
  budget: Budget;
  settings(): Settings;
}

export interface CdpAddress {
  /** Whether the path is below such an address, where a token may be in the query. */
  holder(request: IncomingMessage): Principal | null | undefined;
  /** Answers `json/version` and `json/list`. False for another path. */
  answer(exchange: Exchange): Promise<boolean>;
  upgrade(request: IncomingMessage, socket: Duplex, head: Buffer, port: number): void;
  close(): void;
}

interface Place {
  profileId: string;
  /** Below `cdp`, without slashes at its ends. */
  rest: string;
  query: URLSearchParams;
}

const pathRule = /^\/v1\/profiles\/([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})\/cdp(?:\/(.*?))?\/?$/i;

function placeOf(url: string | undefined): Place | null {
  if (!url?.includes("/cdp")) return null; // Fast, because this runs for every request.
  const { path, query } = targetOf(url);
  const [, id, rest = ""] = pathRule.exec(path) ?? [];
  return id === undefined ? null : { profileId: id.toLowerCase(), rest, query: new URLSearchParams(query) };
}

export function createCdpAddress(context: CdpContext): CdpAddress {
  const { actors, tokens } = context;
  const relay = createRelay(
    (profileId) => void actors.pool.touch({ profileIds: [profileId] }).catch(() => {}),
  );
  const holderAt = ({ query }: Place, { headers }: IncomingMessage) =>
    tokens.holder(headers.authorization ?? `Bearer ${query.get("token") ?? ""}`);
  const cdpUrlOf = async (profileId: string) =>
    (await actors.pool.live({})).find((live) => live.profileId === profileId)?.cdpUrl ?? null;

  const connect = async (request: IncomingMessage, port: number): Promise<string> => {
    const place = placeOf(request.url);
    if (!isLoopbackHost(request.headers.host, port)) throw new Refusal(403);
    if (request.headers.origin !== undefined) throw new Refusal(403);
    const principal =
      place === null ? tokens.holder(request.headers.authorization) : holderAt(place, request);
    if (principal === null) throw new Refusal(401);
    checkPlan(context.settings());
    const page = place === null ? null : pageOf(place.rest);
    if (place === null || page === null) throw new Fault("not-found", "no WebSocket is served at this path");
    refuseReader(principal, "CDP");
    const wish = wishOf(place.query);
    // A page is open in a running browser only, so none is started for it.
    if (page !== "browser" && (await cdpUrlOf(place.profileId)) === null) throw pageFault(page);
    charge(context, principal, {});
    const launched = await opened(context, place.profileId, { ...wish, owner: principal.tokenName }, request);
    return `${launched.replace(/^http/, "ws")}/devtools/${page}`;
  };
  return {
    holder(request) {
      const place = placeOf(request.url);
      return place === null ? undefined : holderAt(place, request);
    },
    async answer({ request, response }) {
      const place = placeOf(request.url);
      if (place === null || request.method !== "GET") return false;
      if (pageOf(place.rest) !== null)
        throw new Fault(
          "not-found",
          `only WebSockets are served at ${targetOf(request.url).path}; over HTTP there are /json/version and /json/list below …/cdp`,
        );
      if (!/^json(\/(version|list))?$/.test(place.rest)) return false;
      wishOf(place.query);
      await profileNow(actors, place.profileId); // Throws `not-found`.
      if (place.rest === "json/version")
        respond(response, 200, await version(place, request, await cdpUrlOf(place.profileId)));
      else respond(response, 200, await targets(place, request, await cdpUrlOf(place.profileId)));
      return true;
    },
    upgrade(request, socket, head, port) {
      socket.on("error", () => socket.destroy());
      const { profileId = "", rest = "" } = placeOf(request.url) ?? {};
      const page = pageOf(rest) ?? "";
      const ended = new Fault("conflict", `profile ${profileId} was stopped meanwhile; connect again`);
      connect(request, port).then(
        (url) =>
          relay.join({ request, socket, head }, url, profileId, (status) =>
            refuse(socket, status !== null && page !== "browser" ? pageFault(page) : ended),
          ),
        (error: unknown) => refuse(socket, error),
      );
    },
    close: relay.close,
  };
}

/** Without a body: an unknown caller learns nothing. */
class Refusal extends Error {
  readonly status: number;

  constructor(status: number) {
    super();
    this.status = status;
  }
}

function refuse(socket: Duplex, error: unknown): void {
  if (socket.destroyed) return;
  const fault = error instanceof Fault ? error : new Fault("internal", "the browser cannot be reached");
  const status = error instanceof Refusal ? error.status : faultKinds[fault.kind].status;
  const body = error instanceof Refusal ? "" : JSON.stringify({ error: faultText(fault) });
  const head = `HTTP/1.1 ${status} Refused\r\ncontent-type: application/json\r\ncontent-length: ${Buffer.byteLength(body)}\r\nconnection: close\r\n\r\n`;
  socket.end(head + body);
}

/** The path below `devtools`; null for no WebSocket. */
function pageOf(rest: string): string | null {
  if (rest === "") return "browser";
  return /^devtools\/page\/[0-9A-Za-z-]{1,64}$/.test(rest) ? rest.slice("devtools/".length) : null;
}

function pageFault(page: string): Fault {
  const targetId = page.replace(/^page\//, "");
  return new Fault("not-found", `no page ${targetId} is open; …/cdp/json/list has those that are`);
}

interface Wish {
  headless: boolean;
  waitMs: number;
}

function wishOf(query: URLSearchParams): Wish {
  const keys = [...query.keys()];
  const twice = keys.find((key, at) => keys.indexOf(key) < at);
  if (twice !== undefined) throw new Fault("invalid", `${twice.slice(0, 80)} is given twice in the query`);
  for (const key of keys)
    if (!["token", "headless", "wait_ms"].includes(key))
      throw new Fault(
        "invalid",
        `unknown key ${key.slice(0, 80)} in the query; it takes token, headless and wait_ms`,
      );
  const headless = query.get("headless") ?? "false";
  if (headless !== "true" && headless !== "false")
    throw new Fault(
      "invalid",
      `headless must be true or false, got ${JSON.stringify(headless.slice(0, 80))}`,
    );
  const waitMs = query.get("wait_ms") ?? "0";
  if (!/^\d{1,6}$/.test(waitMs) || Number(waitMs) > limits.launchWaitMsMax)
    throw new Fault(
      "invalid",
      `wait_ms must be an integer from 0 to ${limits.launchWaitMsMax}, got ${waitMs.slice(0, 80)}`,
    );
  return { headless: headless === "true", waitMs: Number(waitMs) };
}

/** The cdpUrl of the profile's browser, which is started unless it runs. A client that disconnects leaves the queue. */
async function opened(
  { actors: { pool } }: CdpContext,
  profileId: string,
  { headless, waitMs, owner }: Wish & { owner: string },
  request: IncomingMessage,
): Promise<string> {
  const ticket = randomUUID();
  const gone = () => void pool.cancelWait({ profileId, ticket }).catch(() => {});
  request.socket.once("close", gone);
  try {
    const options = { diagnostic: false, headless, idleTimeoutSecs: null };
    const launched = await pool.launch({
      profileId,
      options,
      wait: false,
      join: true,
      waitMs,
      owner,
      ticket,
      warmRunner: null,
    });
    return launched.cdpUrl;
  } finally {
    request.socket.off("close", gone);
  }
}

function baseOf({ profileId, query }: Place, { headers }: IncomingMessage) {
  const token = query.get("token") ?? /^Bearer +(\S+)/i.exec(headers.authorization ?? "")?.[1] ?? "";
  const given = new URLSearchParams([...query].filter(([key]) => key !== "token"));
  given.set("token", token);
  const at = `ws://${headers.host}/v1/profiles/${profileId}/cdp`;
  return (below = "") => `${at}${below}?${given}`;
}

async function asked(cdpUrl: string, path: string): Promise<unknown> {
  const reply = await send(new URL(path, cdpUrl), { method: "GET", timeoutMs: 10_000 });
  let text = "";
  for await (const chunk of reply.setEncoding("utf8")) text += chunk;
  return JSON.parse(text);
}

async function version(place: Place, request: IncomingMessage, cdpUrl: string | null): Promise<object> {
  const shown =
    cdpUrl === null ? { Browser: "Chrome", "Protocol-Version": "1.3" } : await asked(cdpUrl, "/json/version");
  return { ...Object(shown), webSocketDebuggerUrl: baseOf(place, request)() };
}

async function targets(place: Place, request: IncomingMessage, cdpUrl: string | null): Promise<object[]> {
  const list = cdpUrl === null ? [] : await asked(cdpUrl, "/json/list");
  if (!Array.isArray(list)) return [];
  const base = baseOf(place, request);
  return list.map((target: object) => {
    const { devtoolsFrontendUrl: _frontend, ...shown } = Object(target);
    return { ...shown, webSocketDebuggerUrl: base(`/devtools/page/${shown.id}`) };
  });
}
