/** The set-up of a test file about commands: a service, its directory as flags, and a directory for files. */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before } from "node:test";
import { startTestService, type TestService } from "./running.ts";

interface CommandPlace {
  running: TestService;
  files: string;
  at: string[];
}

/** The fields are there when the tests run. */
export function commandPlace(): CommandPlace {
  const on = {} as CommandPlace;
  before(async () => {
    on.running = await startTestService();
    on.at = ["--data", on.running.dataDir];
    on.files = await mkdtemp(join(tmpdir(), "troupe-files-"));
  });
  after(async () => {
    await on.running.stop();
    await rm(on.files, { recursive: true, force: true });
  });
  return on;
}
