// What a script could do that broke out of the runner's JavaScript: it has every module of Node. Prints one JSON line:
// for each attempt the code of its denial, or null when it succeeded.
import { execFileSync } from "node:child_process";
import dgram from "node:dgram";
import fs from "node:fs";
import inspector from "node:inspector";
import net from "node:net";
import { Worker } from "node:worker_threads";

const [owner, port, outside, inside, beside] = process.argv.slice(2);

const connect = (target) =>
  new Promise((resolve, reject) => {
    net.connect(target, () => resolve()).on("error", reject);
  });
const send = () =>
  new Promise((resolve, reject) => {
    const socket = dgram.createSocket("udp4").on("error", reject);
    socket.send("x", Number(port), "127.0.0.1", (error) => (error === null ? resolve() : reject(error)));
  });

const attempts = {
  "write inside scratch": () => fs.writeFileSync(`${inside}/own`, "x"),
  "read /etc/passwd": () => fs.readFileSync("/etc/passwd"),
  "read the owner's environment": () => fs.readFileSync(`/proc/${owner}/environ`),
  "read beside the uploads": () => fs.readFileSync(beside),
  "write outside scratch": () => fs.writeFileSync(outside, "x"),
  "link out of scratch": () => fs.symlinkSync("/etc/passwd", `${inside}/link`),
  "start a process": () => execFileSync("/bin/true"),
  "start a worker": () => new Worker("1", { eval: true }),
  "open the inspector": () => inspector.open(0),
  "load a native module": () => process.dlopen({ exports: {} }, "/usr/lib/x.node"),
  "use an internal binding": () => process.binding("fs"),
  "connect over TCP": () => connect({ host: "127.0.0.1", port: Number(port) }),
  "send over UDP": send,
  "signal the owner": () => process.kill(Number(owner), 0),
};

const answers = {};
for (const [name, act] of Object.entries(attempts)) {
  try {
    await act();
    answers[name] = null;
  } catch (error) {
    answers[name] = error.code ?? error.message;
  }
}
fs.writeSync(1, `${JSON.stringify(answers)}\n`);
process.exit(0);
