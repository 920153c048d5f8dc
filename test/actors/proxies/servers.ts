/** Real proxies for tests: tinyproxy and microsocks, recording SOCKS5 and HTTP proxies in this process, and faulty ones. */
import { spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import {
  createServer as createHttpServer,
  type Server as HttpServer,
  request as httpRequest,
} from "node:http";
import { type AddressInfo, connect, createServer, type Server, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { ProxyType, ProxyUpstream } from "../../../protocol/proxies.ts";

export const user = "us er+1";
export const password = "p:@/%ss#?2e=";

export const tinyproxyPath = "/usr/bin/tinyproxy";
export const microsocksPath = "/usr/bin/microsocks";

/** `test` for a program that `npm test` installs where it can. Without it, only a message is printed. */
export function withProgram(
  path: string,
  test: (name: string, run: () => Promise<void>) => void,
): typeof test {
  if (existsSync(path)) return test;
  return (name) => void process.stderr.write(`skipped: ${name}: ${path} does not exist\n`);
}

export interface TestProxy {
  upstream: ProxyUpstream;
  asked: string[];
  /** When a test sets this, every password is wrong. Only for proxies in this process. */
  refuses: boolean;
  close(): Promise<void>;
}

export function wrongPassword({ upstream }: TestProxy): ProxyUpstream {
  return { ...upstream, password: "not-this-one" };
}

type Asked = Pick<TestProxy, "asked" | "refuses">;
const unasked = (): Asked => ({ asked: [], refuses: false });

const upstreamAt = (type: ProxyType, port: number, credentials = true): ProxyUpstream => ({
  type,
  host: "127.0.0.1",
  port,
  username: credentials ? user : null,
  password: credentials ? password : null,
});

/** tinyproxy, with credentials if its configuration can express them. */
export async function startTinyproxy(credentials?: { user: string; password: string }): Promise<TestProxy> {
  const dir = await mkdtemp(join(tmpdir(), "troupe-test-"));
  const port = await freePort();
  const file = join(dir, "tinyproxy.conf");
  const { user: name = null, password: word = null } = credentials ?? {};
  const auth = name === null ? "" : `BasicAuth ${name} ${word}\n`;
  await writeFile(file, `Port ${port}\nListen 127.0.0.1\nTimeout 60\n${auth}LogLevel Critical\n`);
  const stop = await startProgram(tinyproxyPath, ["-d", "-c", file], port);
  return {
    upstream: { ...upstreamAt("http", port), username: name, password: word },
    ...unasked(),
    async close() {
      await stop();
      await rm(dir, { recursive: true, force: true });
    },
  };
}

export async function startMicrosocks(
  credentials: { user: string; password: string } | null = { user, password },
): Promise<TestProxy> {
  const port = await freePort();
  const args = ["-i", "127.0.0.1", "-p", String(port)];
  const { user: name = null, password: word = null } = credentials ?? {};
  if (name !== null && word !== null) args.push("-u", name, "-P", word);
  const close = await startProgram(microsocksPath, args, port);
  return {
    upstream: { ...upstreamAt("socks5", port), username: name, password: word },
    ...unasked(),
    close,
  };
}

/** A SOCKS5 server with credentials that connects every name to `to`, so that only it can know the names. */
export async function startNotingSocks(to: number): Promise<TestProxy> {
  const noted = unasked();
  const server = createServer((socket) => {
    socket.on("error", () => {});
    serveSocks(socket, noted, to).catch(() => socket.destroy());
  });
  return listening(server, "socks5", noted);
}

async function serveSocks(socket: Socket, noted: Asked, to: number): Promise<void> {
  const read = reader(socket);
  const [, methods = 0] = await read(2);
  await read(methods);
  socket.write(Buffer.from([5, 2]));
  const name = await read((await read(2))[1] ?? 0);
  const word = await read((await read(1))[0] ?? 0);
  const right = !noted.refuses && name.toString() === user && word.toString() === password;
  socket.write(Buffer.from([1, right ? 0 : 1]));
  if (!right) return void socket.end();
  const [, , , kind] = await read(4);
  const host = await hostOf(kind ?? 0, read);
  const port = (await read(2)).readUInt16BE();
  noted.asked.push(`${host}:${port}`);
  const there = connect(to, "127.0.0.1", () => {
    socket.write(Buffer.from([5, 0, 0, 1, 127, 0, 0, 1, 0, 0]));
    socket.pipe(there).pipe(socket);
  });
  there.on("error", () => socket.destroy());
  socket.once("close", () => there.destroy());
}

async function hostOf(kind: number, read: (bytes: number) => Promise<Buffer>): Promise<string> {
  if (kind === 3) return (await read((await read(1))[0] ?? 0)).toString();
  return kind === 4 ? (await read(16)).toString("hex") : [...(await read(4))].join(".");
}

function reader(socket: Socket): (bytes: number) => Promise<Buffer> {
  return async (bytes) => {
    if (bytes === 0) return Buffer.alloc(0);
    for (;;) {
      const chunk: Buffer | null = socket.read(bytes);
      if (chunk !== null) return chunk;
      if (socket.readableEnded || socket.destroyed) throw new Error("the other side closed the connection");
      await new Promise<void>((resolve) => {
        const events = ["readable", "end", "close"];
        const next = () => {
          for (const event of events) socket.off(event, next);
          resolve();
        };
        for (const event of events) socket.on(event, next);
      });
    }
  };
}

export async function startNotingHttp(to: number, credentials = true): Promise<TestProxy> {
  const noted = unasked();
  const expected = `Basic ${Buffer.from(`${user}:${password}`).toString("base64")}`;
  const refused = (given: string | undefined) => noted.refuses || (credentials && given !== expected);
  const server = createHttpServer((request, response) => {
    if (refused(request.headers["proxy-authorization"])) return void response.writeHead(407).end();
    const url = new URL(request.url ?? "");
    noted.asked.push(`${url.hostname}:${url.port || 80}`);
    const { method, headers } = request;
    const onward = httpRequest(
      { host: "127.0.0.1", port: to, method, headers, path: url.pathname + url.search },
      (got) => {
        response.writeHead(got.statusCode ?? 500, got.headers);
        got.pipe(response);
      },
    );
    onward.on("error", () => response.destroy());
    request.pipe(onward);
  });
  server.on("connect", (request, socket: Socket) => {
    socket.on("error", () => {});
    if (refused(request.headers["proxy-authorization"])) {
      return void socket.end("HTTP/1.1 407 Proxy Authentication Required\r\ncontent-length: 0\r\n\r\n");
    }
    noted.asked.push(request.url ?? "");
    const there = connect(to, "127.0.0.1", () => {
      socket.write("HTTP/1.1 200 OK\r\n\r\n");
      socket.pipe(there).pipe(socket);
    });
    there.on("error", () => socket.destroy());
    socket.once("close", () => there.destroy());
  });
  return listening(server, "http", noted, credentials);
}

export function startSilent(type: ProxyType): Promise<TestProxy> {
  return listening(
    createServer((socket) => void socket.on("error", () => {}).resume()),
    type,
    unasked(),
  );
}

export function startStranger(type: ProxyType): Promise<TestProxy> {
  return listening(
    createServer((socket) => void socket.on("error", () => {}).end("220 mail ready\r\n")),
    type,
    unasked(),
  );
}

export async function deadUpstream(type: ProxyType): Promise<ProxyUpstream> {
  return upstreamAt(type, await freePort());
}

async function listening(
  server: Server | HttpServer,
  type: ProxyType,
  noted: Asked,
  credentials = true,
): Promise<TestProxy> {
  const sockets = new Set<Socket>();
  server.on("connection", (socket: Socket) => {
    sockets.add(socket);
    socket.once("close", () => sockets.delete(socket));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  // The same object, because the server writes to it and reads the test's changes.
  return Object.assign(noted, {
    upstream: upstreamAt(type, portOf(server), credentials),
    close: () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve());
        for (const socket of sockets) socket.destroy();
      }),
  });
}

export function portOf(server: Server | HttpServer): number {
  return (server.address() as AddressInfo).port;
}

export async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const port = portOf(server);
  await new Promise((resolve) => server.close(resolve));
  return port;
}

export async function startProgram(
  path: string,
  args: string[],
  port: number,
  env: NodeJS.ProcessEnv = {},
): Promise<() => Promise<void>> {
  const child = spawn(path, args, { stdio: "ignore", env: { ...process.env, ...env } });
  const exited = new Promise<void>((resolve) => child.once("exit", () => resolve()));
  child.once("error", () => {});
  while (!(await accepts(port))) {
    if (child.exitCode !== null || child.pid === undefined) throw new Error(`${path} did not start`);
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  return async () => {
    child.kill("SIGTERM"); // Some have children, which they end.
    await exited;
  };
}

function accepts(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, "127.0.0.1");
    socket.once("connect", () => resolve(true)).once("error", () => resolve(false));
    socket.once("connect", () => socket.destroy());
  });
}
