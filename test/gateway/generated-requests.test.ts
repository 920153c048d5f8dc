/** Generated requests get a documented reply: no 500 and no hang. */
import { after, before, test } from "node:test";
import { sendGenerated } from "./generated-requests.ts";
import { startTestService, type TestService } from "./running.ts";

const seed = Number(process.env.TROUPE_SEED ?? 28);

let app: TestService;
const { CHROMIUM_PATH } = process.env;
before(async () => {
  process.env.CHROMIUM_PATH = "/bin/false";
  app = await startTestService();
});
after(async () => {
  if (CHROMIUM_PATH === undefined) delete process.env.CHROMIUM_PATH;
  else process.env.CHROMIUM_PATH = CHROMIUM_PATH;
  await app.stop();
});

test(`25 generated requests to each listener get documented replies (TROUPE_SEED=${seed})`, () =>
  sendGenerated(app, seed, 25));
