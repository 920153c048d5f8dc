/** One request to an S3 server, signed, within its deadlines, repeated a few times, with errors in words. The package is loaded only where archives are in S3. */
import type { Readable } from "node:stream";
import { text } from "node:stream/consumers";
import { Agent, request } from "undici";
import { Fault } from "../../protocol/faults.ts";
import { fleetPackage, installing, type StoreKeys, storePackage } from "../../protocol/fleet.ts";
import { notStored } from "./object-store.ts";
import type { S3Place } from "./s3-place.ts";

export interface S3Limits {
  connectMs: number;
  /** Without an answer, or a further byte of it. */
  silentMs: number;
  /** A request takes this and, for its bytes, as long as the slowest connection that is of use. */
  requestMs: number;
  bytesPerMs: number;
  tries: number;
  /** Before the second try; twice as long before each further one. */
  pauseMs: number;
}

export const s3Limits: S3Limits = {
  connectMs: 10_000,
  silentMs: 30_000,
  requestMs: 60_000,
  bytesPerMs: 100,
  tries: 4,
  pauseMs: 250,
};

export interface S3Request {
  method: "GET" | "PUT" | "DELETE";
  key: string;
  bytes: number;
  /** Of the request's body, which the server compares. */
  sha256?: string;
  body?: () => Readable;
  /** Takes the answer's body; it must read it to its end. */
  take(body: Readable): Promise<void>;
}

const emptySha256 = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855";
const answerCharsMax = 10_000;

/** Throws `invalid`: the package is missing. */
export async function loadSigner() {
  try {
    return (await import("aws4fetch")).AwsV4Signer;
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code !== "ERR_MODULE_NOT_FOUND" && code !== "MODULE_NOT_FOUND") throw error;
    throw new Fault(
      "invalid",
      `archives in S3 need a package that is not installed with Troupe; ${installing(fleetPackage, storePackage)}`,
    );
  }
}

/** Sends requests to a bucket. They throw `not-found` (the object), `internal`; `invalid`: the package is missing. */
export function createS3(place: S3Place, keys: StoreKeys, limits: S3Limits) {
  const agent = new Agent({
    connect: { timeout: limits.connectMs },
    bodyTimeout: limits.silentMs,
  });
  const { region } = place;
  const signed = async ({ method, key, sha256 = emptySha256 }: S3Request) => {
    const Signer = await loadSigner();
    const { id: accessKeyId, secret: secretAccessKey, session: sessionToken } = keys;
    const path = (place.prefix + key).split("/").map(encodeURIComponent).join("/");
    const headers = { "x-amz-content-sha256": sha256 };
    const access = { accessKeyId, secretAccessKey, ...(sessionToken === undefined ? {} : { sessionToken }) };
    const signer = new Signer({
      method,
      url: `${place.url}/${path}`,
      headers,
      service: "s3",
      region,
      ...access,
    });
    const { url, headers: all } = await signer.sign();
    return { url, headers: Object.fromEntries(all) };
  };
  const once = async (wanted: S3Request) => {
    const { method, bytes, body, take } = wanted;
    const { url, headers } = await signed(wanted);
    const sent = body?.();
    const deadlineMs = Math.ceil(limits.requestMs + bytes / limits.bytesPerMs);
    try {
      const answer = await request(url, {
        method,
        headers: sent === undefined ? headers : { ...headers, "content-length": String(bytes) },
        body: sent ?? null,
        dispatcher: agent,
        // An answer to an upload comes after its last byte.
        headersTimeout: sent === undefined ? limits.silentMs : deadlineMs,
        signal: AbortSignal.timeout(deadlineMs),
      });
      if (answer.statusCode >= 300) throw await refusal(answer.statusCode, answer.body, wanted, place);
      await take(answer.body);
    } finally {
      sent?.destroy();
    }
  };
  return async (wanted: S3Request): Promise<void> => {
    for (let tries = 1; ; tries += 1) {
      try {
        return await once(wanted);
      } catch (error) {
        if (error instanceof Fault && error.detail?.again !== true) throw error;
        if (tries >= limits.tries || isLate(error))
          throw error instanceof Fault ? error : brokenOff(error, place);
        const ms = limits.pauseMs * 2 ** (tries - 1) * (0.5 + Math.random());
        await new Promise((done) => setTimeout(done, ms));
      }
    }
  };
}

const reasonsByCode: Record<string, string> = {
  NoSuchBucket: "does not exist; create it, or name another",
  AccessDenied: "refuses access: these keys may not do this there",
  AllAccessDisabled: "refuses access",
  InvalidAccessKeyId: "does not know this access key",
  SignatureDoesNotMatch: "refuses these keys, or is in another region: add region=…",
  AuthorizationHeaderMalformed: "is in another region: add region=…",
  PermanentRedirect: "is in another region: add region=…",
  ExpiredToken: "refuses the session token, which has expired",
  InvalidToken: "refuses the session token",
  RequestTimeTooSkewed: "refuses this machine's clock; set it",
  QuotaExceeded: "is over its quota",
};
/** The body did not come through whole, or the server says to try again. */
const againCodes = ["XAmzContentSHA256Mismatch", "BadDigest", "IncompleteBody", "RequestTimeout", "SlowDown"];

async function refusal(status: number, body: Readable, { key }: S3Request, place: S3Place): Promise<Fault> {
  const answer = (await text(body)).slice(0, answerCharsMax);
  const [, code = ""] = /<Code>(\w+)<\/Code>/.exec(answer) ?? [];
  if (code === "NoSuchKey") return notStored(key, place.words);
  const said = code === "" ? `answers with status ${status}` : `answers with ${code} (status ${status})`;
  const reason = reasonsByCode[code] ?? (status === 403 ? "refuses access" : said);
  const again = status >= 500 || status === 429 || againCodes.includes(code);
  return new Fault("internal", `the archive store ${place.words} ${reason}`, { again });
}

const reasonsBroken: Record<string, string> = {
  ECONNREFUSED: "is away: nothing listens there",
  ENOTFOUND: "is unknown: no machine has this name",
  EAI_AGAIN: "is unknown for now: no name server answers",
  ECONNRESET: "has cut the connection",
  EPIPE: "has cut the connection",
  UND_ERR_SOCKET: "has cut the connection",
  UND_ERR_ABORTED: "has cut the connection",
  UND_ERR_CONNECT_TIMEOUT: "cannot be reached",
  EHOSTUNREACH: "cannot be reached",
  UND_ERR_HEADERS_TIMEOUT: "does not answer",
  UND_ERR_BODY_TIMEOUT: "does not answer",
};
/** Of this machine's disk. */
const diskCodes = ["ENOSPC", "EDQUOT", "EACCES", "EROFS", "EIO", "ENOENT"];

interface Broken {
  code?: string;
  name?: string;
  message?: string;
}

/** It has taken its time already. */
function isLate(error: unknown): boolean {
  const { code, name } = error as Broken;
  return name === "TimeoutError" || /TIMEOUT/.test(code ?? "");
}

function brokenOff(error: unknown, place: S3Place): unknown {
  const { code = "", name, message } = error as Broken;
  if (diskCodes.includes(code)) return error;
  const why =
    name === "TimeoutError" ? "is too slow" : (reasonsBroken[code] ?? `fails: ${message ?? String(error)}`);
  return new Fault("internal", `the archive store ${place.words} ${why}`);
}
