/** A stopped browser or page: every verb ends by its deadline, queued verbs soon after, and a stop works. */
import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { after, before, test } from "node:test";
import { createTestProfile, makeDir, removeDir, type TestProfile } from "../../browser/fixture/profile.ts";
import { conflict } from "../../conflict.ts";

let dir: string;
let profile: TestProfile;
let pid: number;

before(async () => {
  dir = await makeDir();
  profile = createTestProfile(dir);
  ({ pid } = await profile.open());
});
after(async () => {
  await profile.control.stop({});
  await removeDir(dir);
});

const evaluate = (expression: string) => profile.page.evaluate({ expression });

const raise = (error: unknown) => {
  throw error;
};

function renderers(): number[] {
  const group = (of: string) =>
    Number(readFileSync(`/proc/${of}/stat`, "utf8").split(") ")[1]?.split(" ")[2]);
  const line = (of: string) => readFileSync(`/proc/${of}/cmdline`, "utf8");
  return readdirSync("/proc")
    .filter((entry) => /^\d+$/.test(entry))
    .filter((entry) => {
      try {
        return group(entry) === pid && line(entry).includes("--type=renderer");
      } catch {
        return false; // It exited meanwhile.
      }
    })
    .map(Number);
}

/** Stops these processes, and returns the results of `evaluate` and of the verbs queued behind it; then resumes them. */
async function whileStopped(pids: number[], behind: (() => Promise<unknown>)[]): Promise<unknown[]> {
  assert.notEqual(pids.length, 0);
  for (const one of pids) process.kill(one, "SIGSTOP");
  try {
    const first = evaluate("1 + 1").catch((error: unknown) => error);
    const others = behind.map((verb) => verb().catch((error: unknown) => error));
    return await Promise.all([first, ...others]);
  } finally {
    for (const one of pids) process.kill(one, "SIGCONT");
  }
}

const others = [
  () => evaluate("2"),
  () => profile.page.snapshot({}),
  () => profile.page.pressKey({ key: "Enter" }),
  () => profile.page.waitForElement({ selector: "b", timeout_ms: 120_000 }),
];

test("on a stopped browser, evaluate ends by its deadline, and queued verbs fail at once", async () => {
  const navigate = () => profile.page.navigate({ url: "about:blank" });
  const [first, ...behind] = await whileStopped([pid], [...others, navigate]);
  assert.throws(() => raise(first), conflict(/^the expression did not end within 10000 ms/));
  for (const outcome of behind) assert.throws(() => raise(outcome), conflict(/^the browser does not answer/));
  assert.equal((await evaluate("3")).result, 3, "evaluate works after the browser resumes");
});

test("on a stopped page, the same happens, and the page can be left", async () => {
  await profile.page.navigate({ url: "data:text/html,<title>Hung</title>" });
  const [first, ...behind] = await whileStopped(renderers(), others);
  assert.throws(() => raise(first), conflict(/^the expression did not end within 10000 ms/));
  for (const outcome of behind) assert.throws(() => raise(outcome), conflict(/^the page does not answer/));
  assert.equal((await evaluate("document.title")).result, "Hung");
});
