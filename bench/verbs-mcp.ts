/** Snapshots for agents: ours over REST and MCP, Playwright's MCP server, and chrome-devtools-mcp over stdio. */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { Client } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { findChromium } from "../gateway/machine.ts";
import { peerPath } from "./peers.ts";
import { roundsOf } from "./run/asked.ts";
import { endsWithBench } from "./run/ending.ts";
import { turnRatio } from "./run/statistics.ts";
import type { Rest } from "./served.ts";
import type { Target } from "./table.ts";
import { takeTurns } from "./taking-turns.ts";

const usualRounds = 40;

export const snapshotNames = {
  ours: "Troupe, snapshot over REST",
  playwright: "@playwright/mcp, browser_snapshot",
  devtools: "chrome-devtools-mcp, take_snapshot",
} as const;

/** Switches off the snapshot that Playwright's server takes with every navigation, so that all three take equally many. */
const again = "snapshot, the page as it was";
const first = "snapshot, a new page";
const both = "navigate and snapshot";

const lastButton = "Button 999";

/** Samples by kind and client. Throws if a snapshot lacks the page's last button. */
export async function measureSnapshots(
  rest: Rest,
  profileId: string,
  url: string,
): Promise<Map<string, Map<string, number[]>>> {
  const outputDir = await mkdtemp(join(tmpdir(), "troupe-bench-mcp-"));
  const open: Tools[] = [];
  try {
    const playwright = await openTools(playwrightMcp(outputDir), outputDir);
    open.push(playwright);
    const devtools = await openTools(devtoolsMcp(), outputDir);
    open.push(devtools);
    const listed = await devtools.call("list_pages");
    const pageId = Number(/^(\d+):/m.exec(listed)?.[1]);
    const contestants = [
      {
        name: snapshotNames.ours,
        load: () => rest.post(`/v1/profiles/${profileId}/navigate`, { url }),
        snapshot: async () => {
          const { snapshot } = await rest.get<{ snapshot: string }>(`/v1/profiles/${profileId}/snapshot`);
          return snapshot;
        },
      },
      {
        name: snapshotNames.playwright,
        load: () => playwright.call("browser_navigate", { url }),
        snapshot: () => playwright.call("browser_snapshot"),
      },
      {
        name: snapshotNames.devtools,
        load: () => devtools.call("navigate_page", { pageId, type: "url", url }),
        snapshot: () => devtools.call("take_snapshot", { pageId }),
      },
    ];
    for (const { name, load, snapshot } of contestants) {
      await load();
      const shown = await snapshot();
      if (!shown.includes(lastButton))
        throw new Error(`${name} shows no last button: ${shown.slice(0, 300)}`);
    }
    const readers = contestants.map(({ name, load, snapshot }) => ({
      name,
      run: () => load().then(snapshot),
    }));
    const fresh = contestants.map(({ name, load, snapshot }) => ({ name, run: snapshot, after: load }));
    const rounds = roundsOf(usualRounds);
    return new Map([
      [both, await takeTurns(readers, rounds)],
      [first, await takeTurns(fresh, rounds)],
      [
        again,
        await takeTurns(
          contestants.map(({ name, snapshot }) => ({ name, run: snapshot })),
          rounds,
        ),
      ],
    ]);
  } finally {
    for (const tools of open) await tools.close();
    await rm(outputDir, { recursive: true, force: true, maxRetries: 10, retryDelay: 20 });
  }
}

/** Each kind counts, because an agent may need any of them. */
export function snapshotTargets(samples: ReadonlyMap<string, Map<string, number[]>>): Target[] {
  return [...samples].flatMap(([what, taken]) =>
    [snapshotNames.playwright, snapshotNames.devtools].map((peer) => ({
      what: `${what}, over ${peer}`,
      figure: turnRatio(taken.get(snapshotNames.ours) ?? [], taken.get(peer) ?? []),
      limit: 0.6,
    })),
  );
}

interface Tools {
  /** The text of a tool's result. Throws if the tool fails. */
  call(name: string, args?: Record<string, unknown>): Promise<string>;
  close(): Promise<void>;
}

async function openTools(args: string[], cwd: string): Promise<Tools> {
  const client = new Client({ name: "bench", version: "1" });
  const env = { ...process.env, CHROME_DEVTOOLS_MCP_NO_UPDATE_CHECKS: "1" };
  const strings = Object.fromEntries(Object.entries(env).filter(([, value]) => value !== undefined));
  await client.connect(
    new StdioClientTransport({ command: process.execPath, args, cwd, env: strings, stderr: "ignore" }),
  );
  const close = () => client.close();
  const closed = endsWithBench(close);
  return {
    async call(name, given = {}) {
      const { content, isError } = await client.callTool({ name, arguments: given });
      const text = content.map((part) => (part.type === "text" ? part.text : "")).join("\n");
      if (isError) throw new Error(`${name}: ${text.slice(0, 300)}`);
      return text;
    },
    async close() {
      await close();
      closed();
    },
  };
}

const asRoot = process.getuid?.() === 0;

function playwrightMcp(outputDir: string): string[] {
  const cli = join(dirname(peerPath("@playwright/mcp/package.json")), "cli.js");
  const flags = ["--headless", "--isolated", "--executable-path", findChromium(), "--output-dir", outputDir];
  return [cli, ...flags, "--snapshot-mode", "none", ...(asRoot ? ["--no-sandbox"] : [])];
}

/** Turns off its statistics and field data, because benches use no network. */
function devtoolsMcp(): string[] {
  const cli = join(
    dirname(peerPath("chrome-devtools-mcp/package.json")),
    "build/src/bin/chrome-devtools-mcp.js",
  );
  const flags = ["--headless", "--isolated", `--executablePath=${findChromium()}`];
  const quiet = ["--no-usage-statistics", "--no-performance-crux"];
  return [cli, ...flags, ...quiet, ...(asRoot ? ["--chromeArg=--no-sandbox"] : [])];
}
