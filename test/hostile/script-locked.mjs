// A script's process after its lock, without Node's permission model. Prints as one JSON line each attempt's refusal code, or null.
import dgram from "node:dgram";
import fs from "node:fs";
import net from "node:net";
import { lockRunner } from "../../actors/script/lockdown.ts";

const [socketPath, port] = process.argv.slice(2);
const udp = () => dgram.createSocket("udp4").unref();
const before = new net.Socket();
before.on("error", () => {}).connect("/none");
const { constructor: Pipe } = before._handle;
before.destroy();
const raw = udp();
const state = Object.getOwnPropertySymbols(raw).map((symbol) => raw[symbol]);
const udpHandle = state.find((value) => value?.handle).handle;

const attempts = {
  "connect over TCP": () => net.connect(Number(port), "127.0.0.1"),
  "connect to a Unix socket": () => net.connect(socketPath),
  "connect a handle to a Unix socket": () => new Pipe(0).connect({}, socketPath),
  "bind a handle": () => new Pipe(0).bind(`${socketPath}2`),
  "open a descriptor as a handle": () => new net.Socket({ fd: 1 }),
  "listen for others": () => net.createServer().listen(0, "127.0.0.1"),
  "listen by a server's handle": () => net._createServerHandle("127.0.0.1", 0, 4).listen(1),
  "bind over UDP": () => udp().bind(0, "127.0.0.1"),
  "bind a handle over UDP": () => udpHandle.bind("127.0.0.1", 0, 0),
  "send over UDP": () => udp().send("x", Number(port), "127.0.0.1"),
  "connect over UDP": () => udp().connect(Number(port), "127.0.0.1"),
  "put a method back": () => {
    net.Socket.prototype.connect = () => {};
  },
};

lockRunner();
const answers = {};
for (const [name, act] of Object.entries(attempts)) {
  try {
    act();
    answers[name] = null;
  } catch (error) {
    answers[name] = error.code ?? error.name;
  }
}
fs.writeSync(1, JSON.stringify({ answers, names: Object.getOwnPropertyNames(process) }));
process.exit(0);
