/** `troupe open` prints a link that works once, also when no window opens. test/browser/open-window-long.test.ts opens real windows. */
import assert from "node:assert/strict";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { followLink } from "./follow-link.ts";
import { command, reply } from "./in-process.ts";
import { startTestService, type TestService } from "./running.ts";

interface Opened {
  url: string;
  opened: boolean;
}

let running: TestService;
let folder: string;
before(async () => {
  running = await startTestService();
  folder = await mkdtemp(join(tmpdir(), "troupe-open-"));
});
after(async () => {
  await running.stop();
  await rm(folder, { recursive: true, force: true });
});

async function openedWith(lines: string): Promise<Opened & { stderr: string }> {
  const { CHROMIUM_PATH, DISPLAY } = process.env;
  const executable = join(folder, "window.sh");
  await writeFile(executable, `#!/bin/sh\n${lines}\n`, { mode: 0o755 });
  // `open` does not check a remote display, so this one need not exist.
  Object.assign(process.env, { CHROMIUM_PATH: executable, DISPLAY: "elsewhere:0" });
  try {
    const { code, stdout, stderr } = await command("open", "--json", "--data", running.dataDir);
    assert.equal(code, 0, stderr);
    return { ...JSON.parse(stdout), stderr };
  } finally {
    for (const [name, value] of Object.entries({ CHROMIUM_PATH, DISPLAY })) {
      if (value === undefined) delete process.env[name];
      else process.env[name] = value;
    }
  }
}

test("the link opens the control page once", async () => {
  const { url } = await reply<Opened>("open", "--no-window", "--data", running.dataDir);
  assert.equal((await followLink(url)).statusCode, 200);
  const second = await followLink(url);
  assert.equal(second.statusCode, 401);
  assert.match(second.text, /troupe open/);
});

test("when no window opens, the command says so and the link works", async () => {
  const { url, opened, stderr } = await openedWith("exit 1");
  assert.equal(opened, false);
  assert.match(stderr, /the window did not open: Chromium ended with code 1; the link works in any browser/);
  assert.equal((await followLink(url)).statusCode, 200);
});

test("a service that was started before an update is named, with what to do; its version stays what it was", async () => {
  const file = join(running.dataDir, "instance.json");
  const own = await readFile(file, "utf8");
  const { version } = JSON.parse(own);
  assert.match(version, /^\d+\.\d+\.\d+/);
  assert.equal((await command("status", "--data", running.dataDir)).stderr, "");
  await writeFile(file, JSON.stringify({ ...JSON.parse(own), version: "0.0.9" }));
  try {
    for (const words of [["status"], ["open", "--no-window"]])
      assert.equal(
        (await command(...words, "--data", running.dataDir)).stderr,
        `troupe: the service that runs is Troupe 0.0.9, and this command ${version}: stop the service and start it again\n`,
      );
    assert.match(
      (await command("doctor", "--data", running.dataDir)).stdout,
      /^- service: the service that runs is/m,
    );
  } finally {
    await writeFile(file, own);
  }
});
