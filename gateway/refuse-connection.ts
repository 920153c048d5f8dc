/** What is answered where there is no request yet: headers that are too long, too late, or no HTTP at all. */
import { STATUS_CODES } from "node:http";
import type { Duplex } from "node:stream";
import { Fault, faultKinds } from "../protocol/faults.ts";
import { limits } from "../protocol/limits.ts";
import { faultText } from "./respond.ts";

/** The other end is given so long to read the answer; closed at once, what it still sends would lose it. */
const lingerMs = 1_000;

/** Answers for an error of Node's HTTP parser and ends the connection; the listener of `clientError`. */
export function refuseConnection(error: Error, socket: Duplex): void {
  if (socket.writableEnded) return; // It has been answered, and goes on sending.
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

/** Whether a reply is on its way on this connection: words in the midst of it would be taken for a part of it. */
function isAnswering(socket: Duplex): boolean {
  const response: unknown = Reflect.get(socket, "_httpMessage");
  return Reflect.get(Object(response), "_headerSent") === true;
}

function faultOf(error: Error): Fault {
  const code = "code" in error ? error.code : undefined;
  if (code === "HPE_HEADER_OVERFLOW") {
    const words = `the URL and the headers may be at most ${limits.requestHeadBytesMax} bytes together`;
    return new Fault("headers-too-large", words);
  }
  if (code === "ERR_HTTP_REQUEST_TIMEOUT") {
    return new Fault("too-slow", "the headers did not come in time");
  }
  return new Fault("invalid", "this is not a request of HTTP/1.1");
}
