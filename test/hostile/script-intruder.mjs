// The attempts of a script that escaped the runner's JavaScript. Prints as one JSON line each attempt's denial code, or null for a success.
import { execFileSync } from "node:child_process";
import dgram from "node:dgram";
import fs from "node:fs";
import inspector from "node:inspector";
import net from "node:net";
import v8 from "node:v8";
import { Worker } from "node:worker_threads";

const given = JSON.parse(process.argv[2]);
const { owner, port, secret, scratch, uploads, socket, home, other, program, fileBytesMax, omitted } = given;

const connect = (target) =>
  new Promise((resolve, reject) => {
    net.connect(target, () => resolve()).on("error", reject);
  });
const send = () =>
  new Promise((resolve, reject) => {
    const udp = dgram.createSocket("udp4").on("error", reject);
    udp.send("x", port, "127.0.0.1", (error) => (error === null ? resolve() : reject(error)));
  });
/** Node ignores a report's failure, so only the file shows it. */
const report = () => {
  process.report.directory = "/";
  process.report.writeReport(secret);
  if (!fs.readFileSync(secret, "utf8").includes("nodejsVersion")) throw new Error("no report");
};
const longFile = () => {
  const file = fs.openSync(`${scratch}/long`, "w");
  try {
    fs.ftruncateSync(file, fileBytesMax + 1);
  } finally {
    fs.closeSync(file);
  }
};
const inherited = () => {
  for (let fd = 3; fd < 256; fd += 1) if (isSocketOrFile(fd)) return fd;
  throw Object.assign(new Error("none"), { code: "EBADF" });
};
const isSocketOrFile = (fd) => {
  try {
    const stat = fs.fstatSync(fd);
    return stat.isFile() || stat.isDirectory() || (stat.isSocket() && fd > 100);
  } catch {
    return false;
  }
};

const attempts = {
  "write inside scratch": () => fs.writeFileSync(`${scratch}/own`, "x"),
  "read an upload": () => fs.readFileSync(`${uploads}/photo.txt`),
  "read the data directory": () => fs.readFileSync(secret),
  "read /etc/passwd": () => fs.readFileSync("/etc/passwd"),
  "list the home directory": () =>
    fs.readdirSync(home).find((name) => fs.statSync(`${home}/${name}`).isFile()) ??
    fs.readFileSync(`${home}/none`),
  "read another's temporary file": () => fs.readFileSync(other),
  "read the owner's environment": () => fs.readFileSync(`/proc/${owner}/environ`),
  "see other processes": () => fs.readdirSync("/proc"),
  "write the data directory": () => fs.writeFileSync(secret, "x"),
  "write beside its directories": () => fs.writeFileSync(`${scratch}/../beside`, "x"),
  "write a temporary file": () => fs.writeFileSync(`${other}2`, "x"),
  "write shared memory": () => fs.writeFileSync("/dev/shm/troupe-intruder", "x"),
  "write an upload": () => fs.writeFileSync(`${uploads}/photo.txt`, "x"),
  "write its own program": () => fs.appendFileSync(program, "\n"),
  "write a diagnostic report": report,
  "write a heap snapshot": () => v8.writeHeapSnapshot(`${secret}.heapsnapshot`),
  "link out of scratch": () => {
    fs.symlinkSync("/etc/passwd", `${scratch}/link`);
    fs.readFileSync(`${scratch}/link`);
  },
  "write a file over the limit": longFile,
  "use an inherited file": inherited,
  "start a program": () => execFileSync("/bin/true"),
  "start a worker": () => new Worker("1", { eval: true }),
  "open the inspector": () => inspector.open(0),
  "load a native module": () => process.dlopen({ exports: {} }, "/usr/lib/x.node"),
  "use an internal binding": () => process.binding("fs"),
  "connect to a Unix socket": () => connect(socket),
  "connect over TCP": () => connect({ host: "127.0.0.1", port }),
  "send over UDP": send,
  "signal the owner": () => process.kill(owner, 0),
};

const answers = {};
for (const [name, act] of Object.entries(attempts)) {
  if (omitted.includes(name)) continue;
  try {
    await act();
    answers[name] = null;
  } catch (error) {
    answers[name] = error.code ?? error.message;
  }
}
fs.writeSync(1, `${JSON.stringify(answers)}\n`);
process.exit(0);
