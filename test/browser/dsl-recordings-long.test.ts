/** Exports of the DevTools Recorder: each converts, lists its approximations, and runs with both libraries. */
import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { after, before, test } from "node:test";
import { compileDsl } from "../../actors/dsl/compile.ts";
import type { ScriptLibrary } from "../../protocol/scalars.ts";
import { type DslSite, openDslSite } from "./fixture/dsl-site.ts";
import { openScriptBench, type ScriptBench } from "./script-bench.ts";

const libraries = ["playwright", "puppeteer"] as const;
const folder = new URL("fixture/recordings/", import.meta.url);
const recordedOrigin = "http://127.0.0.1:8080";

interface Leg {
  bench: ScriptBench;
  site: DslSite;
}
let legs: Record<ScriptLibrary, Leg>;
const openLeg = async (): Promise<Leg> => ({ bench: await openScriptBench(), site: await openDslSite() });
before(async () => {
  const [playwright, puppeteer] = await Promise.all([openLeg(), openLeg()]);
  legs = { playwright, puppeteer };
});
after(() => Promise.all(Object.values(legs).flatMap(({ bench, site }) => [bench.close(), site.close()])));

async function replay(text: string, library: ScriptLibrary) {
  const { bench, site } = legs[library];
  const recording: unknown = JSON.parse(text.replaceAll(recordedOrigin, site.origin));
  const { code, name, warnings } = compileDsl(recording, library);
  void bench.host.warm({ library, approved: true });
  const running = bench.run(code, { library });
  void bench.host.warm({ library, approved: true });
  const { error, log } = await running;
  return { code, name, warnings, error, log, asked: site.takeLog() };
}

const expected: Record<string, { last: string; imported: string[] }> = {
  custom: { last: "GET /waits", imported: ["s1", "s3", "s4", "s7"] },
  frames: { last: "GET /pressed?second", imported: ["s1", "s3", "s4"] },
  keys: { last: "GET /keys", imported: ["s1", "s12"] },
  paging: { last: "GET /list?page=3", imported: ["s1"] },
  pointer: { last: "GET /keys", imported: ["s1"] },
  popup: { last: "GET /helped", imported: ["s1", "s4-tab", "s7-tab"] },
  restless: { last: "GET /restless", imported: [] },
  scroll: { last: "GET /keys", imported: ["s1", "s2"] },
  select: {
    last: "POST /received email=old&pw=&nick=&code=&plan=t&size=M&agree=yes&news=on&bio=",
    imported: ["s1"],
  },
  shadow: { last: "GET /frames", imported: ["s1"] },
  "sign-in": {
    last: "POST /received email=ada@example.com&pw=secret&nick=&code=&plan=f&size=S&news=on&bio=",
    imported: ["s1"],
  },
};

const names = readdirSync(folder).map((file) => file.replace(/\.json$/, ""));

test("every recording has an expected result", () =>
  assert.deepEqual(names.sort(), Object.keys(expected).sort()));

for (const name of names) {
  test(`the recording ${name} runs`, async () => {
    const text = readFileSync(new URL(`${name}.json`, folder), "utf8");
    const [first, second] = await Promise.all(libraries.map((library) => replay(text, library)));
    assert.ok(first !== undefined && second !== undefined);
    for (const { error, code, asked, warnings } of [first, second]) {
      assert.equal(error, null, `${error}\n${code}`);
      const requests = asked.filter((line) => !line.startsWith("GET /inner"));
      assert.ok(
        requests.some((line) => line === expected[name]?.last),
        requests.join("\n"),
      );
      const imported = warnings.filter((line) => line.includes("[imported]"));
      assert.deepEqual(
        imported.map((line) => line.split(" ")[1]),
        expected[name]?.imported,
        imported.join("\n"),
      );
    }
    assert.equal(first.name, (JSON.parse(text) as { title: string }).title);
    assert.deepEqual(second.asked.sort(), first.asked.sort());
  });
}
