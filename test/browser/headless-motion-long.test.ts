/** Without a window, the browser's own controls do not animate; pages are not affected. */
import assert from "node:assert/strict";
import { afterEach, beforeEach, test } from "node:test";
import { createTestProfile, makeDir, removeDir, type TestProfile } from "./fixture/profile.ts";

let dir: string;
let profile: TestProfile;

beforeEach(async () => {
  dir = await makeDir();
  profile = createTestProfile(dir);
  await profile.open();
});
afterEach(async () => {
  await profile.control.stop({});
  await removeDir(dir);
});

const seen = `(async () => {
  document.body.innerHTML = "<div style='height: 9000px'></div>";
  const { startTime } = await document.body.animate({ opacity: [0, 1] }, 300).finished;
  const animatedMs = performance.now() - startTime;
  const scrolledAt = performance.now();
  const ended = new Promise((resolve) => addEventListener("scrollend", resolve, { once: true }));
  scrollTo({ top: 8000, behavior: "smooth" });
  await ended;
  return {
    reduced: matchMedia("(prefers-reduced-motion: reduce)").matches,
    animated: animatedMs >= 290,
    scrolledSmoothly: performance.now() - scrolledAt > 100,
  };
})()`;

test("pages animate and scroll smoothly, and do not see a preference for reduced motion", async () => {
  const { result } = await profile.page.evaluate({ expression: seen });
  assert.deepEqual(result, { reduced: false, animated: true, scrolledSmoothly: true });
});
