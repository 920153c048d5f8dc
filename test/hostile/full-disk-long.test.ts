/** A really full disk: a small one in memory, which only root can mount. */
import assert from "node:assert/strict";
import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { text } from "node:stream/consumers";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { temporaryDir } from "../storage/open.ts";

/** Root in a container may lack this right. */
const canMount = spawnSync("unshare", ["-m", "mount", "-t", "tmpfs", "tmpfs", "/mnt"]).status === 0;

test("on a full disk reads work, writes are refused, and writes work again when there is space", {
  skip: !canMount,
}, async (t) => {
  const host = fileURLToPath(new URL("./full-disk-host.ts", import.meta.url));
  const mounted = 'mount -t tmpfs -o size=6m,nr_inodes=300 tmpfs "$0" && exec "$@"';
  const args = ["-m", "sh", "-c", mounted, temporaryDir(t), process.execPath, "--import", "tsx", host];
  const disk = args[4] ?? "";
  const child = spawn("unshare", [...args, disk], { stdio: ["ignore", "ignore", "pipe"] });
  const [said, [code]] = await Promise.all([text(child.stderr), once(child, "exit")]);
  assert.equal(code, 0, said);
});
