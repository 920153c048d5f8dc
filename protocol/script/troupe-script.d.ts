/**
 * Types of `@troupe/script`, to write Raw scripts with an editor's help.
 *
 * `troupe scripts types > troupe-script.d.ts` writes this file. Add it to your project (TypeScript's `include`, or
 * `/// <reference path="./troupe-script.d.ts" />`); then this compiles, and Troupe accepts it unchanged:
 *
 *     import type { Page } from "playwright-core";            // or "puppeteer-core"
 *     import type { ScriptContext } from "@troupe/script";
 *
 *     export default async function run({ page, variables, output }: ScriptContext<Page>) {
 *       await page.goto(variables.url ?? "https://example.com");
 *       output({ title: await page.title() });
 *     }
 *
 * Types are erased before a script runs: at run time there is no such module.
 */
declare module "@troupe/script" {
  /** A row of a dataset: values by column name. */
  export type DatasetRow = Record<string, string>;

  export type JsonValue =
    | string
    | number
    | boolean
    | null
    | undefined
    | readonly JsonValue[]
    | { readonly [name: string]: JsonValue };

  /** Writes one line to the run's log. Values that are not strings are written as Node inspects them. */
  export type LogFunction = (...parts: unknown[]) => void;

  /** The library's type of the browser that a `Page` belongs to. */
  export type BrowserOf<Page> = Page extends { browser(): infer Browser }
    ? Browser
    : Page extends { context(): { browser(): infer Browser } }
      ? NonNullable<Browser>
      : unknown;

  /**
   * The argument of the function that a script exports as default. `Page` is the type of the library that the script
   * imports: Puppeteer for `puppeteer-core`, otherwise Playwright. `Row` has the columns of the script's dataset.
   */
  export interface ScriptContext<Page = unknown, Row extends DatasetRow = DatasetRow> {
    /** The profile's current tab. Open more in the same context: `page.context().newPage()` in Playwright. */
    readonly page: Page;
    /** The profile's browser, already connected. It stays open after the script, which cannot close it. */
    readonly browser: BrowserOf<Page>;
    /**
     * For `chromium.connectOverCDP(cdpUrl)` and `puppeteer.connect({ browserURL: cdpUrl, defaultViewport: null })`,
     * which return `browser`. Only an approved script gets the real address; others get a placeholder.
     */
    readonly cdpUrl: string;
    /** The run's variables over the profile's stored ones; only an approved script gets stored ones. */
    readonly variables: Readonly<Record<string, string>>;
    /** The profile's row of its identity dataset; null without one. */
    readonly row: Readonly<Row> | null;
    /** The rows of its content dataset that this part of the run has reserved. */
    readonly rows: readonly Readonly<Row>[];
    readonly profile: { readonly id: string; readonly name: string };
    /** As in `GET /v1/runs/{id}`. */
    readonly run: { readonly id: string };
    /** At most 1 MiB per run; the last 200 lines are kept. `console` writes here too. */
    readonly log: {
      readonly debug: LogFunction;
      readonly info: LogFunction;
      readonly warn: LogFunction;
      readonly error: LogFunction;
    };
    /** Adds one row to the run's results: at most 1000 rows and 4 MiB. */
    readonly output: (row: { readonly [column: string]: JsonValue }) => void;
    /** Aborts when the run is cancelled, the profile is stopped, or the time is up. The process ends two seconds later. */
    readonly signal: AbortSignal;
    /** Resolves after `ms` milliseconds; rejects with the signal's reason when the signal aborts. */
    readonly sleep: (ms: number) => Promise<void>;
    /**
     * Hands the profile to the user, who sees the message and the page in the application, until the user hands it back
     * or `timeoutMs` (1000 to 600000, default 300000) has passed. The script's timeout is paused meanwhile, for up to
     * an hour in all. Rejects when the profile is handed to the user already.
     */
    readonly handoff: (
      message: string,
      options?: { readonly timeoutMs?: number },
    ) => Promise<"handed_back" | "refused" | "timed_out">;
    /** Absolute path of the only writable directory. Files in it at the end are kept with the run. */
    readonly scratchDir: string;
    /** Absolute path of the application's uploads folder, for file inputs of pages. */
    readonly uploadsDir: string;
  }

  /**
   * The default export of a script. Its return value becomes the part's result, as JSON of at most 64 KiB. An exception
   * fails the part, with the line of the script that threw.
   */
  export type Script<Page = unknown, Row extends DatasetRow = DatasetRow> = (
    context: ScriptContext<Page, Row>,
    // biome-ignore lint/suspicious/noConfusingVoidType: a script may also return nothing
  ) => Promise<JsonValue | void>;
}
