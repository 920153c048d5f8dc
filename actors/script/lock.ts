/**
 * Closes, inside a runner, the doors that Node's permission model leaves open: sockets of every kind and signals.
 *
 * Where there is an empty network namespace this is the second lock (it alone stops Unix sockets of the file system);
 * elsewhere it is the only one, and no boundary against someone who breaks out of the JavaScript engine.
 */
import dgram from "node:dgram";
import net from "node:net";

/** Replaces a method for good: it cannot be assigned, redefined or deleted any more. */
function refuse(target: object, name: string, reason: string): void {
  if (!(name in target)) return;
  Object.defineProperty(target, name, {
    value: () => {
      throw Object.assign(new Error(`${name} is refused: ${reason}`), { code: "ERR_ACCESS_DENIED" });
    },
    writable: false,
    configurable: false,
    enumerable: false,
  });
}

/** Called once, after the library is imported and before the user's code. */
export function lockRunner(): void {
  const network = "a script has no network of its own; use the page, as in page.evaluate(() => fetch(url))";
  refuse(net.Socket.prototype, "connect", network);
  refuse(net.Server.prototype, "listen", network);
  for (const name of ["bind", "send", "connect"]) refuse(dgram.Socket.prototype, name, network);
  const alone = "a script may not touch processes, its own included";
  for (const name of ["kill", "_kill", "abort", "dlopen", "chdir", "setuid", "setgid", "seteuid", "setegid"])
    refuse(process, name, alone);
  const builtin = "a script imports only playwright-core or puppeteer-core";
  for (const name of ["binding", "_linkedBinding", "getBuiltinModule"]) refuse(process, name, builtin);
  for (const name of [
    "_getActiveHandles",
    "_getActiveRequests",
    "_debugProcess",
    "_startProfilerIdleNotifier",
  ])
    refuse(process, name, alone);
}
