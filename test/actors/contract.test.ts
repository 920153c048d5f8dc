/** Each rule of the Raw script contract, with violating samples and their lines, and legal samples. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { checkContract } from "../../actors/contract/check.ts";
import { rules } from "../../actors/contract/rules.ts";
import { limits } from "../../protocol/limits.ts";

const playwright = 'import { chromium } from "playwright-core";';
const puppeteer = 'import puppeteer from "puppeteer-core";';

/** A module whose run function has `body`, starting at line 3. */
function script(body: string, imports = playwright): string {
  return `${imports}\nexport default async function run({ page, browser, cdpUrl, log, ...more }) {\n${body}\n}\n`;
}

interface Sample {
  rule: keyof typeof rules;
  source: string;
  lines: number[];
}

const samples: Sample[] = [
  { rule: "syntax", source: "export default async () => {\n  const a = ;\n};", lines: [2] },
  { rule: "syntax", source: "const a = 1;\nconst a = 2;\nexport default async () => a;", lines: [2] },
  { rule: "syntax", source: "export default async (): Promise<void> => {};", lines: [] },
  {
    rule: "size",
    source: `export default async () => {};\n// ${"x".repeat(limits.scriptLineCharsMax)}`,
    lines: [2],
  },
  {
    rule: "size",
    source: `export default async () => {};\n${"// é\n".repeat(limits.scriptSourceBytesMax / 5)}`,
    lines: [1],
  },
  { rule: "size", source: `// ${"x".repeat(1_000)}\nexport default async () => {};`, lines: [] },
  { rule: "default-export", source: "export const run = async () => {};", lines: [1] },
  { rule: "default-export", source: "\nexport default function run() {}", lines: [2] },
  { rule: "default-export", source: "\n\nexport default 5;", lines: [3] },
  { rule: "default-export", source: "export default async function* run() {}", lines: [1] },
  { rule: "default-export", source: "const run = async () => {};\nexport default run;", lines: [] },
  { rule: "default-export", source: "async function run() {}\nexport { run as default };", lines: [] },
  { rule: "default-export", source: "export default (async () => {}) satisfies Run;", lines: [] },
  { rule: "import-allowed", source: 'import fs from "node:fs";\nexport default async () => fs;', lines: [1] },
  {
    rule: "import-allowed",
    source: 'export default async () => {};\nexport * from "./other.ts";',
    lines: [2],
  },
  {
    rule: "import-allowed",
    source: 'import "playwright-core/lib/server";\nexport default async () => {};',
    lines: [1],
  },
  {
    rule: "import-allowed",
    source: 'import type fs from "node:fs";\nexport default async () => {};',
    lines: [],
  },
  {
    rule: "import-allowed",
    source: 'import { type Page } from "anything";\nexport default async () => {};',
    lines: [],
  },
  { rule: "one-library", source: script("return 1;", `${playwright}${puppeteer}`), lines: [1] },
  {
    rule: "one-library",
    source: script("return 1;", `${playwright}import type { Page } from "puppeteer-core";`),
    lines: [],
  },
  { rule: "no-dynamic-import", source: script('await import("node:fs");'), lines: [3] },
  { rule: "no-dynamic-import", source: script('\nimport.meta.resolve("x");'), lines: [4] },
  {
    rule: "no-dynamic-import",
    source: 'import fs = require("node:fs");\nexport default async () => fs;',
    lines: [1],
  },
  { rule: "no-dynamic-import", source: script("return { import: 1 }.import;"), lines: [] },
  { rule: "no-require", source: script('require("node:fs");\n__dirname;'), lines: [3, 4] },
  { rule: "no-require", source: script("const require = (a) => a; return require(1);"), lines: [] },
  { rule: "no-launch", source: script("await chromium.launch();"), lines: [3] },
  { rule: "no-launch", source: script('// юникод 😀\nawait chromium["launch"]();'), lines: [4] },
  {
    rule: "no-launch",
    source: script("const c = chromium;\nconst { launch: go } = c;\nawait go();"),
    lines: [4],
  },
  {
    rule: "no-launch",
    source: script("let c;\nc = chromium;\nawait (c as unknown)!.launchServer?.();"),
    lines: [5],
  },
  {
    rule: "no-launch",
    source: script("await pw.firefox.launch();", 'import * as pw from "playwright-core";'),
    lines: [3],
  },
  {
    rule: "no-launch",
    source: script("await pw.default.chromium.launch();", 'import * as pw from "playwright-core";'),
    lines: [3],
  },
  {
    rule: "no-launch",
    source: script("await go();", 'import { launch as go } from "puppeteer-core";'),
    lines: [1],
  },
  {
    rule: "no-launch",
    source: script("await puppeteer.launch();\npuppeteer.defaultArgs();", puppeteer),
    lines: [3, 4],
  },
  {
    rule: "no-launch",
    source: script("_electron.launch();", 'import { _electron } from "playwright-core";'),
    lines: [1],
  },
  { rule: "no-launch", source: script("const rocket = { launch() {} }; rocket.launch();"), lines: [] },
  { rule: "no-launch", source: script("const chromium = { launch() {} }; chromium.launch();"), lines: [] },
  {
    rule: "no-launch",
    source: script("const own = await chromium.connectOverCDP(cdpUrl); own.contexts();"),
    lines: [],
  },
  { rule: "no-computed-library-access", source: script("return chromium[log];"), lines: [3] },
  { rule: "no-computed-library-access", source: script("const { [log]: x } = browser;"), lines: [3] },
  {
    rule: "no-computed-library-access",
    source: script("return browser.contexts()[0].pages()[log];"),
    lines: [],
  },
  { rule: "no-close-browser", source: script("await browser.close();"), lines: [3] },
  {
    rule: "no-close-browser",
    source: script("const own = await chromium.connectOverCDP(cdpUrl);\nown.close();"),
    lines: [4],
  },
  {
    rule: "no-close-browser",
    source: script("for (const c of browser.contexts()) {\n  await c.close();\n}"),
    lines: [4],
  },
  { rule: "no-close-browser", source: script("await page.context().close();"), lines: [3] },
  { rule: "no-close-browser", source: script("await more.browser.close();"), lines: [3] },
  {
    rule: "no-close-browser",
    source: script("await page.close(); await browser.disconnect();", puppeteer),
    lines: [],
  },
  {
    rule: "no-new-context",
    source: script("await browser.newContext();\nawait browser.newPage();"),
    lines: [3, 4],
  },
  { rule: "no-new-context", source: script("await browser.createBrowserContext();", puppeteer), lines: [3] },
  { rule: "no-new-context", source: script("await browser.newPage();", puppeteer), lines: [] },
  { rule: "no-new-context", source: script("await page.context().newPage();"), lines: [] },
  {
    rule: "no-emulation",
    source: script("await page.setViewportSize({});\nawait page.emulateMedia({});"),
    lines: [3, 4],
  },
  {
    rule: "no-emulation",
    source: script('await (await page.createCDPSession()).send("Emulation.setCPUThrottlingRate");'),
    lines: [3],
  },
  {
    rule: "no-emulation",
    source:
      'import type { Page } from "playwright-core";\nasync function help(page: Page) {\n  await page.setViewportSize({});\n}\nexport default async () => {};',
    lines: [3],
  },
  { rule: "no-emulation", source: script("const robot = { emulate() {} }; robot.emulate();"), lines: [] },
  {
    rule: "keep-viewport",
    source: script("await puppeteer.connect({ browserURL: cdpUrl });", puppeteer),
    lines: [3],
  },
  {
    rule: "keep-viewport",
    source: script("await puppeteer.connect({ defaultViewport: null });", puppeteer),
    lines: [],
  },
  { rule: "no-process", source: script("process.exit();\nglobalThis.process;"), lines: [3, 4] },
  { rule: "no-process", source: script("const o = { process: 1 }; return o.process;"), lines: [] },
  {
    rule: "no-eval",
    source: script('eval("1");\nnew Function("x");\nsetTimeout("x");\nlog.constructor;'),
    lines: [3, 4, 5, 6],
  },
  {
    rule: "no-eval",
    source: script("class Cart { constructor() {} }\nsetTimeout(() => new Cart(), 1);"),
    lines: [],
  },
  {
    rule: "no-node-network",
    source: script('await fetch("http://x");\nnew WebSocket("ws://x");'),
    lines: [3, 4],
  },
  {
    rule: "no-node-network",
    source: script('const get = () => fetch("/x");\nawait page.evaluate(get);'),
    lines: [],
  },
  {
    rule: "no-node-network",
    source: script('await page.evaluate(async () => (await fetch("/x")).status);'),
    lines: [],
  },
  {
    rule: "declarations-only",
    source: "const a = run();\nfor (;;) {}\nexport default async function run() {}",
    lines: [1, 2],
  },
  { rule: "declarations-only", source: "const a = await 1;\nexport default async () => a;", lines: [1] },
  {
    rule: "declarations-only",
    source:
      '"use strict";\nconst all = new Set("a b".split(" "));\nenum E { A }\nexport default async () => all;',
    lines: [],
  },
];

describe("the Raw script contract", () => {
  for (const { rule, source, lines } of samples) {
    const title = source.slice(0, 110).replaceAll("\n", "⏎");
    it(`${rule} ${lines.length === 0 ? "accepts" : `refuses line ${lines.join(", ")} of`} ${title}`, () => {
      const { violations } = checkContract(source);
      const found = violations.filter((violation) => violation.rule === rule).map(({ line }) => line);
      assert.deepEqual(found, lines, JSON.stringify(violations));
    });
  }

  it("has a violating and a legal sample for every rule", () => {
    for (const rule of Object.keys(rules)) {
      const own = samples.filter((sample) => sample.rule === rule);
      assert.ok(
        own.some(({ lines }) => lines.length > 0) && own.some(({ lines }) => lines.length === 0),
        rule,
      );
    }
  });

  it("finds no violation in the README's example", () => {
    const source = script(
      'await page.goto("https://example.com");\nlog.info(await page.title());\nreturn { ok: true };',
    );
    assert.deepEqual(checkContract(source), { violations: [], library: "playwright" });
  });

  it("sorts by line, then rule, and stops at the limit", () => {
    const lines = Array.from({ length: 80 }, () => "process.exit(eval());");
    const { violations } = checkContract(script(lines.join("\n")));
    assert.equal(violations.length, limits.violationsMax);
    assert.deepEqual(
      violations.slice(0, 3).map(({ line, rule }) => `${line} ${rule}`),
      ["3 no-eval", "3 no-process", "4 no-eval"],
    );
  });

  it("infers the library from value imports, then the export, then types", () => {
    const run = "\nexport default async () => {};";
    const library = (head: string) => checkContract(head + run).library;
    assert.equal(library(""), "playwright");
    assert.equal(library(puppeteer), "puppeteer");
    assert.equal(library('import type { Page } from "puppeteer-core";'), "puppeteer");
    assert.equal(library('export const library = "puppeteer";'), "puppeteer");
    assert.equal(library(`import type { Page } from "puppeteer-core";${playwright}`), "playwright");
  });

  it("names the remedy", () => {
    const [violation] = checkContract(script("await chromium.launch();")).violations;
    assert.match(violation?.message ?? "", /chromium\.connectOverCDP\(cdpUrl\)/);
  });
});
