/** A stopped profile is open for the moment of a cookie call: nothing that comes meanwhile fails, or ends with it. */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { chromium } from "playwright-core";
import type { Profile } from "../../protocol/records.ts";
import { createProfiles, startTestService, type TestService } from "../gateway/running.ts";

let app: TestService;
before(async () => {
  app = await startTestService();
});
after(() => app.stop());

const statusOf = async (id: string) => ((await app.client.get(`/v1/profiles/${id}`)).body as Profile).status;
const cookie = { name: "a", value: "1", domain: "shop.example", path: "/", expires: 1_999_999_999 };

test("calls at the same time all succeed, and the profile is stopped after them", async () => {
  const [id = ""] = await createProfiles(app.client, 1);
  const at = `/v1/profiles/${id}`;
  const replies = await Promise.all([
    app.client.post(`${at}/cookies`, { cookies: [cookie] }),
    app.client.get(`${at}/cookies`),
    app.client.get(`${at}/storage-state`),
    app.client.get(`${at}/cookies?format=netscape`),
  ]);
  assert.deepEqual(
    replies.map(({ status }) => status),
    [200, 200, 200, 200],
    JSON.stringify(replies.map(({ body }) => body)),
  );
  assert.equal(await statusOf(id), "stopped");
});

test("a launch and a client that come during a call get a browser of their own, which stays", async () => {
  const [id = "", other = ""] = await createProfiles(app.client, 2);
  const [read, launched] = await Promise.all([
    app.client.get(`/v1/profiles/${id}/storage-state`),
    app.client.post(`/v1/profiles/${id}/launch`, { headless: true }),
  ]);
  assert.deepEqual([read.status, launched.status], [200, 200], JSON.stringify([read.body, launched.body]));
  const address = `${app.service.apiUrl}/v1/profiles/${other}/cdp?headless=true&token=${app.token}`;
  const [wrote, browser] = await Promise.all([
    app.client.call("PUT", `/v1/profiles/${other}/cookies`, { body: [cookie] }),
    chromium.connectOverCDP(address),
  ]);
  assert.equal(wrote.status, 200, JSON.stringify(wrote.body));
  const page = await browser.contexts()[0]?.newPage();
  assert.equal(await page?.evaluate("1 + 1"), 2);
  await browser.close();
  assert.deepEqual([await statusOf(id), await statusOf(other)], ["running", "running"]);
});
