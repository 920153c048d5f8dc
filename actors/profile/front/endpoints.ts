/** The HTTP endpoints of the debugging address, as of Chromium's own port. */
import { readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { type CdpSession, failureOf, type Protocol } from "../cdp/session.ts";

export interface HttpAnswer {
  status: number;
  /** A string is sent as text, any other value as JSON. */
  body: unknown;
}

/** A request with the addresses that its reply needs. */
export interface HttpQuestion {
  method: string;
  target: string;
  host: string;

  browserPath: string;
}

const answerMs = 15_000;

/** Answers the request. Rejects with a CdpError when the browser does not answer. */
export async function answerHttp(root: CdpSession, question: HttpQuestion): Promise<HttpAnswer> {
  const cut = question.target.indexOf("?");
  const path = cut < 0 ? question.target : question.target.slice(0, cut);
  const query = cut < 0 ? "" : question.target.slice(cut + 1);
  const [command = "list", id = "", ...more] = path.replace(/\/$/, "").split("/").slice(2);
  if (!/^\/json(\/|$)/.test(path) || more.length > 0) return notFound(`Unknown address: ${path}`);
  switch (command) {
    case "version":
      return ok(await versionOf(root, question));
    case "list":
      return ok(await targetsOf(root, question.host));
    case "protocol":
      return ok(await protocol());
    case "new":
      return question.method === "PUT" ? ok(await opened(root, query, question.host)) : onlyPut;
    case "activate":
      return told(id, "Target activated", root.send("Target.activateTarget", { targetId: id }, answerMs));
    case "close":
      return told(id, "Target is closing", root.send("Target.closeTarget", { targetId: id }, answerMs));
    default:
      return notFound(`Unknown command: ${command}`);
  }
}

const onlyPut: HttpAnswer = {
  status: 405,
  body: "Using unsafe HTTP verb GET to invoke /json/new. This action supports only PUT verb.",
};

function ok(body: unknown): HttpAnswer {
  return { status: 200, body };
}

function notFound(body: string): HttpAnswer {
  return { status: 404, body };
}

async function told(id: string, done: string, order: Promise<unknown>): Promise<HttpAnswer> {
  try {
    await order;
    return ok(done);
  } catch (error) {
    if (failureOf(error) === "refused") return notFound(`No such target id: ${id}`);
    throw error;
  }
}

async function versionOf(root: CdpSession, { host, browserPath }: HttpQuestion): Promise<object> {
  const { product, protocolVersion, userAgent, jsVersion, revision } = await root.send(
    "Browser.getVersion",
    {},
  );
  return {
    Browser: product,
    "Protocol-Version": protocolVersion,
    "User-Agent": userAgent,
    "V8-Version": jsVersion,
    "WebKit-Version": `537.36 (${revision})`,
    webSocketDebuggerUrl: `ws://${host}${browserPath}`,
  };
}

async function targetsOf(root: CdpSession, host: string): Promise<object[]> {
  const { targetInfos } = await root.send("Target.getTargets", {});
  return targetInfos.map((info) => described(info, host));
}

async function opened(root: CdpSession, query: string, host: string): Promise<object> {
  const url = decoded(query) || "about:blank";
  const { targetId } = await root.send("Target.createTarget", { url });
  const { targetInfo } = await root.send("Target.getTargetInfo", { targetId });
  return described(targetInfo, host);
}

function decoded(query: string): string {
  try {
    return decodeURIComponent(query);
  } catch {
    return query;
  }
}

function described({ targetId, title, type, url, parentId }: TargetInfo, host: string): object {
  const socket = `${host}/devtools/page/${targetId}`;
  return {
    description: "",
    devtoolsFrontendUrl: `devtools://devtools/bundled/inspector.html?ws=${socket}`,
    id: targetId,
    ...(parentId === undefined ? {} : { parentId }),
    title,
    type,
    url,
    webSocketDebuggerUrl: `ws://${socket}`,
  };
}

type TargetInfo = Protocol.Target.TargetInfo & { parentId?: string };

/** From the package of our types, since the browser does not send it over the pipe. */
async function protocol(): Promise<object> {
  const { resolve } = createRequire(import.meta.url);
  const parts = await Promise.all(
    ["browser", "js"].map(async (part): Promise<{ version: object; domains: object[] }> => {
      const file = resolve(`devtools-protocol/json/${part}_protocol.json`);
      return JSON.parse(await readFile(file, "utf8"));
    }),
  );
  return { version: parts[0]?.version, domains: parts.flatMap(({ domains }) => domains) };
}
