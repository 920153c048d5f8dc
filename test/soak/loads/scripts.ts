/** The scripts of a soak's batches and schedules, one per library. A variable tells a profile's part how to fail. */

const driven = (library: "playwright-core" | "puppeteer-core", fill: string) => `
import type { Page } from "${library}";
import type { ScriptContext } from "@troupe/script";

export default async function run({ page, variables, profile, log, output, scratchDir }: ScriptContext<Page>) {
  const mood = variables.moods?.split(" ").find((mood) => mood.startsWith(profile.id))?.split("=")[1];
  log.info(\`\${profile.name} is \${mood ?? "well"}\`);
  await page.goto(\`\${variables.site}/form\`);
  ${fill}
  await page.waitForSelector("#fields");
  output({ title: await page.title() });
  await page.screenshot({ path: \`\${scratchDir}/page.png\` });
  if (mood === "throws") throw new Error("planned failure");
  if (mood === "dialog") await page.evaluate(() => void setTimeout(() => alert("left open"), 0));
  if (mood === "crashes") await page.goto(\`\${variables.site}/crash/\${profile.id}\`);
  if (mood === "crashes") await page.waitForSelector("#never", { timeout: 0 });
  if (mood === "hangs") await new Promise<void>(() => {});
  return profile.id;
}
`;

export const scriptSources = {
  playwright: driven(
    "playwright-core",
    `await page.locator("[name=code]").fill(profile.id);
  await page.locator("[type=submit]").click();`,
  ),
  puppeteer: driven(
    "puppeteer-core",
    `await page.locator("[name=code]").fill(profile.id);
  await Promise.all([page.waitForNavigation(), page.locator("[type=submit]").click()]);`,
  ),
} as const;

export type Library = keyof typeof scriptSources;

/** How a part fails, with the expected error; null: it completes all the same. */
export const moods = {
  throws: /planned failure/,
  dialog: null,
  hangs: /ran longer than/,
  /** Its page requests the crash from `crashOnDemand`; each library has its own error. */
  crashes: /./,
} as const;

export type Mood = keyof typeof moods;
