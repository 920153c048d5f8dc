/** A user's script compiles against the output of `troupe scripts types` alone, with either library. */
import assert from "node:assert/strict";
import { before, test } from "node:test";
import { typeErrors } from "../actors/dsl/typings.ts";
import { troupe } from "./serve.ts";

let types: string;
before(async () => {
  const { code, stdout, stderr } = await troupe("scripts", "types");
  assert.equal(code, 0, stderr);
  types = stdout;
});
const errorsOf = (script: string) =>
  typeErrors(
    new Map([
      ["troupe-script.d", types],
      ["script", script],
    ]),
  );

const script = (library: string, body: string) => `import type { Page } from "${library}";
import type { ScriptContext } from "@troupe/script";
export default async function run({ page, browser, row, rows, variables, profile, run: self, log, output, signal, sleep, uploadsDir, scratchDir, cdpUrl }: ScriptContext<Page, { email: string }>) {
  ${body}
}`;

for (const library of ["playwright-core", "puppeteer-core"])
  test(`a script for ${library} knows all its arguments`, () => {
    const body = `await page.goto(variables.url ?? cdpUrl);
  const texts: string[] = [row?.email ?? "", profile.id, profile.name, self.id, uploadsDir, scratchDir, await page.title(), ...rows.map(({ email }) => email)];
  log.info(texts, await browser.version());
  output({ texts });
  if (!signal.aborted) await sleep(1);
  return { texts };`;
    assert.deepEqual(errorsOf(script(library, body)), []);
  });

test("using something that a script does not get is a type error", () => {
  const wrong = {
    "page.fly()": /fly/,
    "return row?.phone": /phone/,
    "variables.url = 'x'": /read-only|index signature/i,
  };
  for (const [body, expected] of Object.entries(wrong)) {
    const errors = errorsOf(script("playwright-core", body));
    assert.equal(errors.length, 1, errors.join("\n"));
    assert.match(errors[0] ?? "", expected);
  }
});
