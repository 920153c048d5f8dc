/** Blocks the sockets and parts of `process` that Node's permission model allows. No barrier against a break-out of V8. */
import dgram from "node:dgram";
import net from "node:net";

/** Properties of `process` that stay: facts, and what the libraries and Node's own modules need while a script runs. */
const kept: ReadonlySet<string> = new Set([
  ...["version", "versions", "arch", "platform", "release", "features", "pid", "ppid", "env"],
  ...["argv", "argv0", "execArgv", "execPath", "permission", "noProcessWarnings"],
  ...["nextTick", "hrtime", "uptime", "cwd", "memoryUsage", "emitWarning", "exit", "exitCode", "reallyExit"],
  ...["_events", "_eventsCount", "_maxListeners", "_exiting", "_fatalException", "_tickCallback", "domain"],
]);

const network = "a script has no network of its own; use the page, as in page.evaluate(() => fetch(url))";

const noStream = Object.freeze({ fd: -1, isTTY: false, write: () => true });

function refuse(target: object, name: string): void {
  if (typeof Object.getOwnPropertyDescriptor(target, name)?.value !== "function") return;
  Object.defineProperty(target, name, {
    value: () => {
      throw Object.assign(new Error(`${name} is refused: ${network}`), { code: "ERR_ACCESS_DENIED" });
    },
    writable: false,
    configurable: false,
    enumerable: false,
  });
}

/** Called once, after the library is loaded and before the user's code. */
export function lockRunner(): void {
  for (const handle of handles())
    for (const name of Object.getOwnPropertyNames(handle)) if (name !== "constructor") refuse(handle, name);
  refuse(net.Socket.prototype, "connect");
  refuse(net.Server.prototype, "listen");
  for (const name of ["bind", "send", "connect"]) refuse(dgram.Socket.prototype, name);
  dropNetwork();
  // Remove whole objects: `process.report`, or the handle of a stream, gives access to files and sockets.
  for (const name of Object.getOwnPropertyNames(process))
    if (!kept.has(name)) Reflect.deleteProperty(process, name);
  for (const name of ["stdout", "stderr"]) Object.defineProperty(process, name, { value: noStream });
}

/** Node 26 opens the pipe to the owner only with the permission for the network, which a script must not have. */
function dropNetwork(): void {
  const drop: unknown = Reflect.get(Object(process.permission), "drop");
  if (typeof drop === "function") drop.call(process.permission, "net");
}

/** The prototypes below Node's sockets: their own methods connect, the inherited ones read and write. */
function handles(): object[] {
  const socket = dgram.createSocket("udp4");
  const state = Object.getOwnPropertySymbols(socket).map((symbol) => Reflect.get(socket, symbol));
  const udp = state.map((value) => Object(value).handle).find((handle) => typeof handle?.send === "function");
  socket.close();
  return [streamHandle({ path: "/none" }), streamHandle({ port: 1, host: "127.0.0.1" }), udp].map((handle) =>
    Object.getPrototypeOf(handle),
  );
}

/** A socket has its handle once `connect` is called; this one is destroyed before it connects. */
function streamHandle(target: net.NetConnectOpts): unknown {
  const socket = new net.Socket().on("error", () => {});
  socket.connect(target);
  const handle: unknown = Reflect.get(socket, "_handle");
  socket.destroy();
  return handle;
}
