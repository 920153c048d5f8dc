/** 3,000 generated requests each to the API, MCP and the application; TROUPE_PARTS=40 sends 20,000 each. */
import { after, before, test } from "node:test";
import { sendGenerated } from "./generated-requests.ts";
import { startTestService, type TestService } from "./running.ts";

const seed = Number(process.env.TROUPE_SEED ?? 28);
const parts = Number(process.env.TROUPE_PARTS ?? 6);

let app: TestService;
before(async () => {
  process.env.CHROMIUM_PATH = "/bin/false";
  app = await startTestService();
});
after(() => app.stop());

for (let part = 0; part < parts; part += 1) {
  test(`500 generated requests to each listener get documented replies (TROUPE_SEED=${seed + part})`, () =>
    sendGenerated(app, seed + part, 500));
}
