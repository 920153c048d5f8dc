/** The processor time of a contract check, and sources that try to overload it. */
import assert from "node:assert/strict";
import { after, describe, it } from "node:test";
import { checkContract } from "../../actors/contract/check.ts";
import { startTaskPool } from "../../actors/kernel/task-pool.ts";
import { limits } from "../../protocol/limits.ts";
import type { TasksApi } from "../../protocol/messages/tasks.ts";

/** Processor time in ms, because it depends little on other load. */
function processorMs(work: () => void): number {
  const before = process.cpuUsage();
  work();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1_000;
}

function medianMs(rounds: number, work: () => void): number {
  const times = Array.from({ length: rounds }, () => processorMs(work));
  return times.slice(3).sort((a, b) => a - b)[Math.floor((rounds - 3) / 2)] ?? Number.NaN;
}

const head =
  'import { chromium } from "playwright-core";\nexport default async function run({ page, log }) {\n';
const line = '  await page.locator("#total").waitFor({ timeout: 1_000 }); log.info(variables.name);\n';

describe("the cost of a contract check", () => {
  const tasks = startTaskPool<TasksApi>();
  after(() => tasks.close());

  it("of 2,000 lines is 100 ms of processor time at most", (t) => {
    const source = `${head}${line.repeat(1_997)}}`;
    const ms = medianMs(13, () => void checkContract(source));
    t.diagnostic(`2,000 lines, warm: median ${ms.toFixed(1)} ms of processor time`);
    // Five times the target, because other load shares the core and fills its caches.
    assert.ok(ms < 500, `${ms} ms`);
  });

  it("of chained aliases is proportional to the source", () => {
    const aliases = Array.from({ length: 2_000 }, (_, at) => `  var a${at} = a${at + 1};\n`);
    const source = `${head}${aliases.join("")}}`.replace("a2000;", "chromium;");
    assert.ok(processorMs(() => assert.deepEqual(checkContract(source).violations, [])) < 1_500);
  });

  const deep = {
    "nested parentheses": `${"(\n".repeat(130_000)}1${")\n".repeat(130_000)}`,
    "nested lists": `${"[\n".repeat(130_000)}${"]\n".repeat(130_000)}`,
    "a chain of calls": `page${"()\n".repeat(170_000)}`,
    "repeated negations": `${"!\n".repeat(260_000)}1`,
    "a sum": `1${"+1\n".repeat(170_000)}`,
    "nested types": `1 as ${"[\n".repeat(130_000)}1${"]\n".repeat(130_000)}`,
  };
  for (const [what, expression] of Object.entries(deep)) {
    it(`a source of ${what} of the largest size is refused, and the service keeps running`, async () => {
      const source = `export default async () => ${expression};`;
      assert.ok(source.length > limits.scriptSourceBytesMax * 0.95, `${source.length}`);
      const { violations } = await tasks.api.checkContract({ source });
      const [violation] = violations;
      assert.deepEqual(violations.length, 1);
      assert.equal(violation?.rule, "syntax");
      assert.match(violation.message, /^nested more than 1000 deep$/);
    });
  }

  it("nesting below the limit is checked completely", async () => {
    const source = `export default async () => ${"[\n".repeat(900)}eval("1")${"]".repeat(900)};`;
    const { violations } = await tasks.api.checkContract({ source });
    assert.deepEqual(
      violations.map(({ rule, line: at }) => `${at} ${rule}`),
      ["901 no-eval"],
    );
  });
});
