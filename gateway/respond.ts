/** Writes replies and faults. */
import { open, rm } from "node:fs/promises";
import type { ServerResponse } from "node:http";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { Fault, faultKinds } from "../protocol/faults.ts";
import { EventReply, FileBody, JsonBytes, Media, type Reply, TextStream } from "./route.ts";

export type Headers = Record<string, string | number>;

/** Begins a stream of server-sent events. */
export function beginEvents(response: ServerResponse, headers: Headers = {}): void {
  response.writeHead(200, {
    ...headers,
    "content-type": "text/event-stream",
    "cache-control": "no-store",
    connection: "keep-alive",
  });
  response.write("retry: 1000\n\n");
}

/** Null becomes 204. Throws before writing anything when the reply is not JSON. */
export function respond(response: ServerResponse, status: number, reply: Reply, headers: Headers = {}): void {
  const lines: (string | number)[] = ["cache-control", "no-store"];
  for (const name in headers) lines.push(name, headers[name] ?? "");
  if (reply === null) {
    write(response, 204, lines);
    return;
  }
  if (reply instanceof EventReply) {
    beginEvents(response, headers);
    reply.send(response);
    return;
  }
  if (reply instanceof FileBody) {
    sendFile(response, status, reply, lines).catch((error: Error) => {
      if (response.headersSent) response.destroy();
      else respondFault(response, new Fault("conflict", `${reply.name} cannot be read: ${error.message}`));
    });
    return;
  }
  if (reply instanceof TextStream) {
    response.writeHead(status, [...lines, "content-type", reply.type, ...asFile(reply.name)]);
    pipeline(Readable.from(reply.parts), response).catch(() => {}); // As for a file: a caller that leaves ends both.
    return;
  }
  if (reply instanceof JsonBytes)
    for (const [name, value] of Object.entries(reply.headers)) lines.push(name, value);
  const isBytes = reply instanceof JsonBytes || reply instanceof Media;
  const body = isBytes ? reply.bytes : JSON.stringify(reply);
  const type = reply instanceof Media ? reply.type : "application/json";
  lines.push("content-type", type, "content-length", Buffer.byteLength(body));
  write(response, status, lines, body);
}

/** The name twice (RFC 6266): in UTF-8, and for programs that read only ASCII. */
function asFile(name: string): string[] {
  const wellFormed = Buffer.from(name).toString();
  const utf8 = encodeURIComponent(wellFormed).replace(
    /['()*]/g, // encodeURIComponent leaves them, and RFC 8187 does not.
    (sign) => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`,
  );
  const ascii = name.replace(/[^ -~]|["\\%]/gu, "_");
  return ["content-disposition", `attachment; filename="${ascii}"; filename*=UTF-8''${utf8}`];
}

/** Ends the connection when the file cannot be read: the caller sees that bytes are missing. */
async function sendFile(
  response: ServerResponse,
  status: number,
  { path, name, type, temporary }: FileBody,
  lines: (string | number)[],
): Promise<void> {
  const handle = await open(path);
  try {
    if (temporary) await rm(path, { force: true }); // The open file stays readable.
    const { size } = await handle.stat();
    response.writeHead(status, [...lines, "content-type", type, "content-length", size, ...asFile(name)]);
    if (size === 0) return void response.end();
    const bytes = handle.createReadStream({ end: size - 1, autoClose: false });
    await pipeline(bytes, response);
    if (bytes.bytesRead < size) response.destroy(); // It has become shorter.
  } finally {
    await handle.close();
  }
}

/** Calls `act` if the caller disconnects before the end of the reply. */
export function whenGone(response: ServerResponse, act: () => void): void {
  response.once("close", () => {
    if (!response.writableEnded) act();
  });
}

/** Deferred, so that replies leave together (bench/FINDINGS.md, "Requests"). `headers` has names and values in turn. */
function write(
  response: ServerResponse,
  status: number,
  headers: (string | number)[],
  body?: string | Uint8Array,
): void {
  setImmediate(() => {
    if (response.headersSent || response.destroyed) return; // Answered 408 already, or the caller has disconnected.
    response.writeHead(status, headers);
    response.end(body);
  });
}

/** A fault's message after the prefix of its kind (protocol/README.md, "Errors"). */
export function faultText({ kind, message }: Fault): string {
  return `${faultKinds[kind].prefix}: ${message}`;
}

export function respondFault(response: ServerResponse, fault: Fault, headers: Headers = {}): void {
  respond(response, faultKinds[fault.kind].status, { error: faultText(fault) }, headers);
}

/** Without a body: an unknown caller learns nothing. */
export function respondEmpty(response: ServerResponse, status: 401 | 403): void {
  write(response, status, ["content-length", 0, "cache-control", "no-store"]);
}
