// A script's process after its lock, without Node's permission model: each attempt with the code of its refusal, or null, as one JSON line.
import dgram from "node:dgram";
import fs from "node:fs";
import net from "node:net";
import { lockRunner } from "../../actors/script/lock.ts";

const [socketPath, port] = process.argv.slice(2);
const udp = () => dgram.createSocket("udp4").unref();
const attempts = {
  "connect over TCP": () => net.connect(Number(port), "127.0.0.1"),
  "connect to a Unix socket": () => net.connect(socketPath),
  "listen for others": () => net.createServer().listen(0, "127.0.0.1"),
  "bind over UDP": () => udp().bind(0, "127.0.0.1"),
  "send over UDP": () => udp().send("x", Number(port), "127.0.0.1"),
  "connect over UDP": () => udp().connect(Number(port), "127.0.0.1"),
  "signal a process": () => process.kill(process.pid, 0),
  "load a native module": () => process.dlopen({ exports: {} }, "/x.node"),
  "change its directory": () => process.chdir("/"),
  "change its user": () => process.setuid(0),
  "change its group": () => process.setgid(0),
  "change its effective user": () => process.seteuid(0),
  "change its effective group": () => process.setegid(0),
  "use an internal binding": () => process.binding("fs"),
  "use a linked binding": () => process._linkedBinding("x"),
  "get a built-in module": () => process.getBuiltinModule("node:fs"),
  "see open handles": () => process._getActiveHandles(),
  "see open requests": () => process._getActiveRequests(),
  "debug a process": () => process._debugProcess(process.pid),
  abort: () => process.abort(),
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
fs.writeSync(1, JSON.stringify(answers));
process.exit(0);
