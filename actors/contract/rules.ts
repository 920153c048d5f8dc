/** The rules of the Raw script contract with their remedies: the source of all messages and tables about them. */

export const rules = {
  syntax: "the script does not parse",
  size: "the script is too long; split it, or move data into variables or datasets",
  "default-export":
    'export one async function as default: "export default async function run({ page, log }) { … }"',
  "import-allowed":
    'a script imports only "playwright-core" or "puppeteer-core"; types may come from anywhere with "import type"',
  "one-library":
    "a script drives its page with one library: import playwright-core or puppeteer-core, not both",
  "no-dynamic-import": "import at the top of the file; import() and import.meta.resolve are refused",
  "no-require": "use import; there is no CommonJS here",
  "no-launch":
    'the profile\'s browser is already running: use the given "page", or chromium.connectOverCDP(cdpUrl); do not launch a browser',
  "no-computed-library-access": "name the member: a computed one cannot be checked",
  "no-close-browser":
    "the profile's browser stays open: return from run instead of closing it (puppeteer's disconnect() is legal)",
  "no-new-context": "use the profile's own context: the given page, or newPage() of its context",
  "no-emulation": "leave the profile's own values alone: its fingerprint is set by the service",
  "keep-viewport": 'pass "defaultViewport: null" to connect, or the tab is resized',
  "no-process": 'there is no process for scripts: use "variables", "log" and "sleep" of the context',
  "no-eval": "write the code itself; code made from text cannot be checked",
  "no-node-network":
    "a script has no network of its own: fetch in the page, as in page.evaluate(() => fetch(url))",
  "declarations-only": "the top level only declares: move this into run",
} as const;

export type RuleId = keyof typeof rules;

export function rulesTable(): string {
  const rows = Object.entries(rules).map(([id, text]) => `| \`${id}\` | ${text.replaceAll("|", "\\|")} |`);
  return ["| Rule | What to do instead |", "|---|---|", ...rows].join("\n");
}
