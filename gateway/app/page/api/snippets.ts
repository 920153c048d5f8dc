/** Example code for programs, with the address of this service. */

export function snippets(url: string): { title: string; text: string }[] {
  const base = `${url}/v1`;
  return [
    {
      title: "curl",
      text: `curl -H "Authorization: Bearer $TROUPE_TOKEN" ${base}/profiles`,
    },
    {
      title: "Playwright",
      text: `import { chromium } from "playwright-core";

const launch = await fetch("${base}/profiles/PROFILE_ID/launch", {
  method: "POST",
  headers: { authorization: \`Bearer \${process.env.TROUPE_TOKEN}\`, "content-type": "application/json" },
  body: JSON.stringify({ idle_timeout_secs: 0 }),
});
const { cdpUrl } = await launch.json();
const browser = await chromium.connectOverCDP(cdpUrl);
const [context] = browser.contexts(); // the profile's own: a new one would not have its identity
const page = context.pages()[0] ?? (await context.newPage());`,
    },
    {
      title: "Puppeteer",
      text: `import puppeteer from "puppeteer-core";

// cdpUrl from POST ${base}/profiles/PROFILE_ID/launch with {"idle_timeout_secs": 0}
const browser = await puppeteer.connect({ browserURL: cdpUrl, defaultViewport: null });
const [page] = await browser.pages();`,
    },
    {
      title: "MCP client",
      text: JSON.stringify(
        {
          mcpServers: {
            troupe: { type: "http", url: `${url}/mcp`, headers: { Authorization: "Bearer TROUPE_TOKEN" } },
          },
        },
        null,
        2,
      ),
    },
  ];
}
