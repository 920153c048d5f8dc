/**
 * Clicks, typing, navigations and screenshots in turns: ours over REST, Playwright and Puppeteer, each on its own browser with our profile's screen.
 */
import { type Client, deviceOf, troupeClient, withPlaywright, withPuppeteer } from "./clients.ts";
import { roundsOf } from "./run/asked.ts";
import { type Series, seriesOf } from "./run/series.ts";
import { turnRatio } from "./run/statistics.ts";
import type { Rest } from "./served.ts";
import type { Target } from "./table.ts";
import { takeTurns } from "./taking-turns.ts";

/** Our navigations are close to Puppeteer's, and fewer turns vary too much. */
const usualRounds = 60;
const callsPerTurn = { click: 5, type: 3, navigate: 2, screenshot: 2 } as const;
type Verb = keyof typeof callsPerTurn;

export const clientNames = {
  ours: "Troupe over REST",
  playwright: "Playwright",
  puppeteer: "Puppeteer",
} as const;

const clicked = Array.from({ length: 200 }, (_, at) => `#b${at * 5}`);
const field = "#typed";
const text = "The quick brown fox";

export async function measureBeside(
  rest: Rest,
  profileId: string,
  url: string,
): Promise<Map<Verb, Map<string, number[]>>> {
  const device = await deviceOf(rest, profileId);
  return withPlaywright(device, (playwright) =>
    withPuppeteer(device, async (puppeteer) => {
      const clients: [string, Client][] = [
        [clientNames.ours, troupeClient(rest, profileId)],
        [clientNames.playwright, playwright],
        [clientNames.puppeteer, puppeteer],
      ];
      const samples = new Map<Verb, Map<string, number[]>>();
      for (const verb of ["navigate", "click", "type", "screenshot"] as const)
        samples.set(verb, await measure(verb, clients, url));
      await mustShowTheSame(clients);
      return samples;
    }),
  );
}

async function measure(verb: Verb, clients: readonly [string, Client][], url: string) {
  for (const [, client] of clients) {
    await client.navigate(url);
    await client.prepare([...clicked, field]);
  }
  const act = {
    navigate: (client: Client) => client.navigate(url),
    click: (client: Client, done: number) => client.click(clicked[done % clicked.length] ?? ""),
    type: (client: Client) => client.type(field, text),
    screenshot: (client: Client) => client.screenshot(),
  }[verb];
  const kinds = clients.map(([name, client]) => {
    let done = 0;
    return { name, run: () => act(client, done++) };
  });
  const samples = await takeTurns(kinds, roundsOf(usualRounds), callsPerTurn[verb]);
  if (verb === "click") await mustCount(clients, "count", verb);
  if (verb === "type")
    await mustCount(clients, `document.querySelector("${field}").value.length / ${text.length}`, verb);
  return samples;
}

async function mustCount(
  clients: readonly [string, Client][],
  expression: string,
  verb: Verb,
): Promise<void> {
  const expected = (roundsOf(usualRounds) + 1) * callsPerTurn[verb];
  for (const [name, client] of clients) {
    const count = await client.evaluate(expression);
    if (count !== expected)
      throw new Error(`${name}: the page has seen ${String(count)} of ${expected} (${verb})`);
  }
}

/** Compares the sizes of the pictures, which stand at byte 16 of a png. Playwright rounds up half a pixel. */
async function mustShowTheSame(clients: readonly [string, Client][]): Promise<void> {
  const sizes: [width: number, height: number][] = [];
  for (const [, client] of clients) {
    const picture = Buffer.from(await client.screenshot());
    sizes.push([picture.readUInt32BE(16), picture.readUInt32BE(20)]);
  }
  const [[width, height] = [0, 0]] = sizes;
  if (sizes.some(([other, high]) => other !== width || Math.abs(high - height) > 1))
    throw new Error(`pictures of different sizes: ${sizes.map((size) => size.join("×")).join("; ")}`);
}

export function besideTargets(samples: ReadonlyMap<Verb, Map<string, number[]>>): Target[] {
  return [...samples].flatMap(([verb, taken]) =>
    [clientNames.playwright, clientNames.puppeteer].map((peer) => ({
      what: `${verb} over ${peer}'s`,
      figure: turnRatio(taken.get(clientNames.ours) ?? [], taken.get(peer) ?? []),
      limit: verb === "screenshot" ? 1.1 : 1,
    })),
  );
}

export function besideSeries(samples: ReadonlyMap<Verb, Map<string, number[]>>): Series[] {
  return [...samples].flatMap(([verb, taken]) =>
    seriesOf(verb, taken, { base: clientNames.playwright, perTurn: callsPerTurn[verb] }),
  );
}
