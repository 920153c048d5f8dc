/** Answers connections without a valid request: headers too long, too late, or not HTTP. */
import { STATUS_CODES } from "node:http";
import type { Duplex } from "node:stream";
import { Fault, faultKinds } from "../protocol/faults.ts";
import { limits } from "../protocol/limits.ts";
import { faultText } from "./respond.ts";

/** Time for the client to read the answer. A close at once would lose it while the client still sends. */
const lingerMs = 1_000;

/** Listener of `clientError`: answers an error of Node's HTTP parser and ends the connection. */
export function refuseConnection(error: Error, socket: Duplex): void {
  if (socket.writableEnded) return; // Answered already, but the client still sends.
  const isSilent = Reflect.get(socket, "bytesRead") === 0;
  if (!socket.writable || isSilent || isAnswering(socket)) return void socket.destroy();
  const fault = faultOf(error);
  const body = JSON.stringify({ error: faultText(fault) });
  const { status } = faultKinds[fault.kind];
  const head = [
    `HTTP/1.1 ${status} ${STATUS_CODES[status]}`,
    "content-type: application/json",
    `content-length: ${Buffer.byteLength(body)}`,
    "cache-control: no-store",
    "connection: close",
  ];
  socket.end(`${head.join("\r\n")}\r\n\r\n${body}`);
  const cut = setTimeout(() => socket.destroy(), lingerMs);
  socket.once("close", () => clearTimeout(cut));
}

/** Text in the middle of a reply would become part of it. */
function isAnswering(socket: Duplex): boolean {
  const response: unknown = Reflect.get(socket, "_httpMessage");
  return Reflect.get(Object(response), "_headerSent") === true;
}

function faultOf(error: Error): Fault {
  const code = "code" in error ? error.code : undefined;
  if (code === "HPE_HEADER_OVERFLOW") {
    const words = `the URL and the headers together may be at most ${limits.requestHeadBytesMax} bytes`;
    return new Fault("headers-too-large", words);
  }
  if (code === "ERR_HTTP_REQUEST_TIMEOUT") {
    return new Fault("too-slow", "the headers did not arrive in time");
  }
  return new Fault("invalid", "this is not an HTTP/1.1 request");
}
