/** Generated requests get a documented reply: no 500 and no hang. */
import { after, before, test } from "node:test";
import { sendGenerated } from "./generated-requests.ts";
import { startTestService, type TestService } from "./running.ts";

const seed = Number(process.env.TROUPE_SEED ?? 28);

let app: TestService;
before(async () => {
  process.env.CHROMIUM_PATH = "/bin/false";
  app = await startTestService();
});
after(() => app.stop());

test(`25 generated requests to each listener get documented replies (TROUPE_SEED=${seed})`, () =>
  sendGenerated(app, seed, 25));
