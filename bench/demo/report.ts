/** The demo's result table, checked against the shop's data, and its timings. */
import type { RunProfile } from "../../protocol/records.ts";
import { money, type Visit } from "./shop/shop.ts";

export interface Outcome {
  name: string;
  user: string;
  part: RunProfile;
  visit: Visit;
  screenshot: string | null;
}

interface Shopped {
  user: string;
  items: number;
  totalCents: number;
}

function shoppedOf(result: unknown): Shopped | null {
  if (typeof result !== "object" || result === null) return null;
  if (!("user" in result && "items" in result && "totalCents" in result)) return null;
  const { user, items, totalCents } = result;
  if (typeof user !== "string" || typeof items !== "number" || typeof totalCents !== "number") return null;
  return { user, items, totalCents };
}

export function problemOf({ name, user, part, visit, screenshot }: Outcome): string | null {
  if (part.status !== "completed") return `${name}: ${part.status}: ${part.error ?? "no reason was given"}`;
  const shopped = shoppedOf(part.result);
  if (shopped === null) return `${name}: the script returned ${JSON.stringify(part.result)}`;
  if (shopped.user !== user) return `${name}: shopped as ${shopped.user}, not as ${user}`;
  const { items, totalCents } = visit.cart;
  if (shopped.items !== items || shopped.totalCents !== totalCents || items === 0) {
    return `${name}: read ${shopped.items} items for ${money(shopped.totalCents)}, the shop counts ${items} for ${money(totalCents)}`;
  }
  if (visit.logins !== 1) return `${name}: the shop saw ${visit.logins} log-ins`;
  if (screenshot === null) return `${name}: left no screenshot`;
  return null;
}

function runMs({ startedAt, completedAt }: RunProfile): number | null {
  return startedAt === null || completedAt === null ? null : Date.parse(completedAt) - Date.parse(startedAt);
}

const milliseconds = (ms: number | null) => (ms === null ? "" : `${Math.round(ms)} ms`);

function rowOf(outcome: Outcome): string[] {
  const shopped = shoppedOf(outcome.part.result);
  return [
    outcome.name,
    outcome.user,
    shopped ? String(shopped.items) : "",
    shopped ? money(shopped.totalCents) : "",
    problemOf(outcome) === null ? "as the shop counts" : "WRONG",
    milliseconds(outcome.part.launchMs),
    milliseconds(runMs(outcome.part)),
    outcome.screenshot ?? "",
  ];
}

export function tableOf(outcomes: readonly Outcome[]): string {
  const head = ["profile", "user", "items", "total", "verified", "launch", "run", "screenshot"];
  const toTheRight = new Set([2, 3, 5, 6]);
  const rows = [head, ...outcomes.map(rowOf)];
  const widths = head.map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)));
  const lines = rows.map((row) =>
    row
      .map((cell, column) => {
        const width = widths[column] ?? 0;
        return toTheRight.has(column) ? cell.padStart(width) : cell.padEnd(width);
      })
      .join("  ")
      .trimEnd(),
  );
  const rule = widths.map((width) => "─".repeat(width)).join("  ");
  return [lines[0], rule, ...lines.slice(1)].map((line) => `  ${line}\n`).join("");
}

function median(values: readonly number[]): number | null {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = Math.floor(sorted.length / 2);
  const upper = sorted[middle];
  if (upper === undefined) return null;
  return sorted.length % 2 === 1 ? upper : (upper + (sorted[middle - 1] ?? upper)) / 2;
}

export function timingsOf(outcomes: readonly Outcome[], runTotalMs: number, readyMs: number): string {
  const launches = outcomes.flatMap(({ part }) => (part.launchMs === null ? [] : [part.launchMs]));
  return [
    `Troupe ready ${milliseconds(readyMs)}`,
    `launch p50 ${milliseconds(median(launches))}`,
    `run total ${milliseconds(runTotalMs)}`,
  ].join(" · ");
}
