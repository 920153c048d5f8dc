/** Requests as bytes on a socket, for malformed requests. */
import { connect, type Socket } from "node:net";

/** A listener's answer; status null when it closed the connection without one. */
export interface RawReply {
  status: number | null;
  head: string;
  body: string;
}

const hangMs = 20_000;

/** Sends `bytes` and reads until the listener closes. `drive` may send more, or disconnect. */
export function sendRaw(
  port: number,
  bytes: string | Buffer,
  drive: (socket: Socket) => void = () => {},
): Promise<RawReply> {
  return new Promise((resolve, reject) => {
    const socket = connect(port, "127.0.0.1");
    const hung = setTimeout(() => {
      socket.destroy();
      reject(new Error(`no answer to ${JSON.stringify(String(bytes).slice(0, 120))} within ${hangMs} ms`));
    }, hangMs);
    const chunks: Buffer[] = [];
    socket.on("data", (chunk: Buffer) => chunks.push(chunk));
    socket.on("error", () => {});
    socket.on("end", () => socket.destroy());
    socket.on("close", () => {
      clearTimeout(hung);
      resolve(replyOf(Buffer.concat(chunks).toString("latin1")));
    });
    socket.on("connect", () => {
      socket.write(bytes);
      drive(socket);
    });
  });
}

function replyOf(text: string): RawReply {
  const headEnd = text.indexOf("\r\n\r\n");
  const head = headEnd < 0 ? text : text.slice(0, headEnd);
  const status = /^HTTP\/1\.1 (\d{3})/.exec(head)?.[1];
  return {
    status: status === undefined ? null : Number(status),
    head: head.toLowerCase(),
    body: headEnd < 0 ? "" : text.slice(headEnd + 4),
  };
}
