/** A proxy before a server that speaks HTTP: answers with errors, hangs, cuts bodies, or says that nobody is there. */
import { createServer, request, type Server } from "node:http";
import type { AddressInfo } from "node:net";

export type Failure =
  | "none"
  /** 503, as of a busy server. */
  | "busy"
  /** Takes the request and does not answer. */
  | "hang"
  /** Half of the answer, then the end of the connection. */
  | "cut"
  /** Half of the answer, then nothing. */
  | "stall"
  /** The last byte of the answer is another one. */
  | "damage";

export interface FailingProxy {
  url: string;
  port: number;
  /** The next `times` requests fail so. */
  fail(failure: Failure, times?: number): void;
  /** Since the last `fail`. */
  requests(): number;
  close(): Promise<void>;
}

export async function startFailingProxy(port: number): Promise<FailingProxy> {
  let failure: Failure = "none";
  let left = 0;
  let seen = 0;
  const server: Server = createServer((incoming, outgoing) => {
    seen += 1;
    const now = left > 0 ? failure : "none";
    left -= 1;
    incoming.on("error", () => {});
    if (now === "hang") return void incoming.resume();
    if (now === "busy") {
      incoming.resume();
      return void outgoing.writeHead(503).end("busy");
    }
    const { method, url, headers } = incoming;
    const passed = request({ host: "127.0.0.1", port, method, path: url, headers }, (answer) => {
      const chunks: Buffer[] = [];
      answer.on("data", (chunk) => chunks.push(chunk));
      answer.on("end", () => {
        const body = Buffer.concat(chunks);
        outgoing.writeHead(answer.statusCode ?? 500, answer.headers);
        if (now === "damage") body[body.length - 1] = (body.at(-1) ?? 0) ^ 1;
        if (now !== "cut" && now !== "stall") return void outgoing.end(body);
        outgoing.write(body.subarray(0, body.length / 2), () => {
          if (now === "cut") outgoing.destroy();
        });
      });
    });
    passed.on("error", () => outgoing.destroy());
    incoming.pipe(passed);
  });
  await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
  const address = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${address.port}`,
    port: address.port,
    fail(next, times = 1) {
      failure = next;
      left = times;
      seen = 0;
    },
    requests: () => seen,
    async close() {
      server.closeAllConnections();
      await new Promise((done) => server.close(done));
    },
  };
}
