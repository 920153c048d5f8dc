/** An S3 server of a test's own: OpenStack Swift with its S3 API, from the system's packages. */
import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { Readable } from "node:stream";
import { text } from "node:stream/consumers";
import { s3PlaceOf } from "../../actors/fleet/s3-place.ts";
import { createS3, s3Limits } from "../../actors/fleet/s3-request.ts";
import { until } from "../gateway/serve.ts";
import { freePort } from "./postgres.ts";

export interface TestSwift {
  /** Of its S3 API. */
  url: string;
  port: number;
  close(): Promise<void>;
}

const kinds = ["account", "container", "object"] as const;
const programs = [...kinds, "proxy"].map((kind) => `/usr/bin/swift-${kind}-server`);
const isThere = [...programs, "/etc/swift/swift.conf"].every((path) => existsSync(path));

export const noSwift: string | false = isThere
  ? false
  : "OpenStack Swift is not installed (Debian: apt install swift-proxy swift-account swift-container swift-object)";

/** Options of a test that needs an S3 server: without it the test is skipped, with the reason. */
export const needsSwift = { skip: noSwift };

/** Each a ring of one device: one process, because it takes a second to start. */
const ringsScript = `
import sys
from swift.common.ring import RingBuilder
for file, port in zip(sys.argv[1::2], sys.argv[2::2]):
    ring = RingBuilder(4, 1, 1)
    place = {"ip": "127.0.0.1", "port": int(port), "replication_ip": "127.0.0.1", "replication_port": int(port)}
    ring.add_dev({"id": 0, "region": 1, "zone": 1, "device": "sda1", "weight": 1, "meta": "", **place})
    ring.rebalance()
    ring.get_ring().save(file)
`;

export const swiftKeys = { id: "test:tester", secret: "testing" };

/** Its data is below /var/tmp, because it needs a file system with extended attributes. */
export async function startSwift(): Promise<TestSwift> {
  const dir = mkdtempSync("/var/tmp/troupe-swift-");
  mkdirSync(join(dir, "node", "sda1"), { recursive: true });
  const servers: ChildProcess[] = [];
  const start = (kind: string, settings: string) => {
    const file = join(dir, `${kind}.conf`);
    writeFileSync(file, settings);
    servers.push(spawn(`/usr/bin/swift-${kind}-server`, [file], { stdio: "ignore" }));
  };
  const defaults = (port: number) => `[DEFAULT]
bind_ip = 127.0.0.1
bind_port = ${port}
workers = 0
user = ${execFileSync("id", ["-un"], { encoding: "utf8" }).trim()}
swift_dir = ${dir}
devices = ${join(dir, "node")}
mount_check = false
`;
  const ports = await Promise.all(kinds.map(freePort));
  const rings = kinds.map((kind, index) => [join(dir, `${kind}.ring.gz`), String(ports[index])]);
  execFileSync("/usr/bin/python3", ["-c", ringsScript, ...rings.flat()], { stdio: "ignore" });
  kinds.forEach((kind, index) => {
    const app = `[pipeline:main]\npipeline = ${kind}-server\n[app:${kind}-server]\nuse = egg:swift#${kind}\n`;
    start(kind, defaults(ports[index] ?? 0) + app);
  });
  const port = await freePort();
  start(
    "proxy",
    `${defaults(port)}[pipeline:main]
pipeline = catch_errors cache s3api tempauth proxy-server
[app:proxy-server]
use = egg:swift#proxy
account_autocreate = true
[filter:catch_errors]
use = egg:swift#catch_errors
[filter:cache]
use = egg:swift#memcache
memcache_servers = 127.0.0.1:1
[filter:s3api]
use = egg:swift#s3api
[filter:tempauth]
use = egg:swift#tempauth
user_test_tester = testing .admin
`,
  );
  const url = `http://127.0.0.1:${port}`;
  await until(
    "Swift answers",
    () =>
      fetch(url).then(
        () => true,
        () => false,
      ),
    100,
  );
  return {
    url,
    port,
    async close() {
      await Promise.all(servers.map(ended));
      rmSync(dir, { recursive: true, force: true });
    },
  };
}

/** By a request for the empty key. */
export async function startBucket({ url }: TestSwift, bucket: string): Promise<void> {
  const place = s3PlaceOf(`s3://${bucket}?endpoint=${encodeURIComponent(url)}`);
  const take = async (body: Readable) => void (await text(body));
  await createS3(
    place,
    swiftKeys,
    s3Limits,
  )({
    method: "PUT",
    key: "",
    bytes: 0,
    body: () => Readable.from([]),
    take,
  });
}

function ended(server: ChildProcess): Promise<void> {
  return new Promise((done) => {
    server.once("exit", () => done());
    server.kill("SIGKILL");
  });
}
