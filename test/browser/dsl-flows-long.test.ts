/** DSL flows in a real Chromium through the real runner: both libraries give the same output, end and requests. */
import assert from "node:assert/strict";
import path from "node:path";
import { after, before, test } from "node:test";
import { compileDsl } from "../../actors/dsl/compile.ts";
import type { DslDocument } from "../../protocol/dsl/document.ts";
import type { ScriptLibrary } from "../../protocol/scalars.ts";
import type { Flow } from "./fixture/dsl-flows.ts";
import { firstFlows } from "./fixture/dsl-flows.ts";
import { moreFlows } from "./fixture/dsl-more-flows.ts";
import { placeFlows } from "./fixture/dsl-place-flows.ts";
import { type DslSite, openDslSite } from "./fixture/dsl-site.ts";
import { valueFlows } from "./fixture/dsl-value-flows.ts";
import { openScriptBench, type ScriptBench } from "./script-bench.ts";

const libraries = ["playwright", "puppeteer"] as const;

/** Each library has its own browser and site, so that both run at the same time. */
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

function documentOf(flow: Flow): DslDocument {
  return {
    dslVersion: "1.0",
    inputs: {
      variables: [
        { name: "site", required: true },
        { name: "code", default: "12345" },
      ],
    },
    settings: { timeoutMs: 8_000, ...flow.settings },
    steps: [
      ...flow.steps,
      { id: "final-url", kind: "pageInfo", what: "url", saveTo: "finalUrl" },
      { id: "final-row", kind: "output", values: { finalUrl: "{{ finalUrl }}" } },
    ],
    ...(flow.subflows === undefined ? {} : { subflows: flow.subflows }),
  };
}

async function run(flow: Flow, library: ScriptLibrary) {
  const { bench, site } = legs[library];
  const { code } = compileDsl(documentOf(flow), library);
  void bench.host.warm({ library, approved: true });
  const running = bench.run(code, {
    library,
    variables: { site: site.origin },
    row: flow.row ?? null,
    rows: flow.rows ?? [],
  });
  void bench.host.warm({ library, approved: true });
  const outcome = await running;
  return {
    code,
    error: outcome.error,
    output: JSON.parse(JSON.stringify(outcome.output).replaceAll(site.origin, "")),
    files: outcome.files.map((file) => path.basename(file)).sort(),
    log: site.takeLog(),
    lines: outcome.log.filter((line) => !/^(warn|error):/.test(line)),
  };
}

for (const flow of [...firstFlows, ...placeFlows, ...moreFlows, ...valueFlows]) {
  test(flow.name, async () => {
    const [first, second] = await Promise.all(libraries.map((library) => run(flow, library)));
    assert.ok(first !== undefined && second !== undefined);
    for (const { error, output, files, code } of [first, second]) {
      if (flow.error === undefined) assert.equal(error, null, `${error}\n${code}`);
      else assert.match(error ?? "the flow succeeded", flow.error);
      const last = flow.ends === null ? [] : [{ finalUrl: flow.ends }];
      assert.deepEqual(output, [...flow.outputs, ...last]);
      assert.deepEqual(files, flow.files ?? []);
    }
    assert.ok(first.log.length > 0);
    assert.deepEqual(second.log, first.log);
    assert.deepEqual(second.lines, first.lines);
  });
}
