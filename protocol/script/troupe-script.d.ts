/**
 * What a Raw script is given: the types of `@troupe/script`, in one file, to write scripts with an editor's help.
 *
 * Nothing is installed for it. `troupe scripts types > troupe-script.d.ts` writes this file; with it in your project
 * (TypeScript's `include`, or `/// <reference path="./troupe-script.d.ts" />`) this compiles, and Troupe takes it as it is:
 *
 *     import type { Page } from "playwright-core";            // or "puppeteer-core"
 *     import type { ScriptContext } from "@troupe/script";
 *
 *     export default async function run({ page, variables, output }: ScriptContext<Page>) {
 *       await page.goto(variables.url ?? "https://example.com");
 *       output({ title: await page.title() });
 *     }
 *
 * Types are erased before a script runs; at run time there is no module of this name.
 */
declare module "@troupe/script" {
  /** A row of a dataset: values by column name. */
  export type DatasetRow = Record<string, string>;

  /** A value that JSON can hold. */
  export type JsonValue =
    | string
    | number
    | boolean
    | null
    | undefined
    | readonly JsonValue[]
    | { readonly [name: string]: JsonValue };

  /** Writes one line to the log of the run. Values that are no strings are written as Node inspects them. */
  export type LogFunction = (...parts: unknown[]) => void;

  /** The library's browser that a page of type `Page` belongs to. */
  export type BrowserOf<Page> = Page extends { browser(): infer Browser }
    ? Browser
    : Page extends { context(): { browser(): infer Browser } }
      ? NonNullable<Browser>
      : unknown;

  /**
   * What the function that a script exports as default is called with.
   *
   * `Page` is the `Page` of the library that the script imports; the run uses Puppeteer when the script imports
   * `puppeteer-core`, otherwise Playwright. `Row` are the columns of the dataset that the script reads.
   */
  export interface ScriptContext<Page = unknown, Row extends DatasetRow = DatasetRow> {
    /** The tab that the profile shows. More tabs come from its own context: `page.context().newPage()` in Playwright. */
    readonly page: Page;
    /** The profile's browser, attached already. It stays open when the script ends, and cannot be closed by it. */
    readonly browser: BrowserOf<Page>;
    /**
     * For `chromium.connectOverCDP(cdpUrl)` and `puppeteer.connect({ browserURL: cdpUrl, defaultViewport: null })`,
     * which give `browser`. The browser's real address for an approved script only; otherwise a name of no meaning.
     */
    readonly cdpUrl: string;
    /** The run's variables over the profile's stored ones; stored ones are given to an approved script only. */
    readonly variables: Readonly<Record<string, string>>;
    /** The first dataset row of this profile's part of the run; null without a dataset. */
    readonly row: Readonly<Row> | null;
    /** All of its dataset rows; `row` is the first. */
    readonly rows: readonly Readonly<Row>[];
    /** The profile that this part of the run drives. */
    readonly profile: { readonly id: string; readonly name: string };
    /** The run that this is a part of: `GET /v1/runs/{id}`. */
    readonly run: { readonly id: string };
    /** At most 1 MiB a run; the last 200 lines are kept with the run. `console` writes there as well. */
    readonly log: {
      readonly debug: LogFunction;
      readonly info: LogFunction;
      readonly warn: LogFunction;
      readonly error: LogFunction;
    };
    /** Hands over one row of results, kept with the run: at most 1000 rows and 4 MiB. */
    readonly output: (row: { readonly [column: string]: JsonValue }) => void;
    /** Aborts when the run is cancelled, the profile is stopped or the time is up; the process ends two seconds later. */
    readonly signal: AbortSignal;
    /** Resolves after `ms` milliseconds; rejects with the signal's reason when that aborts. */
    readonly sleep: (ms: number) => Promise<void>;
    /** An absolute path, the one directory that can be written to. What is left there is kept with the run. */
    readonly scratchDir: string;
    /** An absolute path: the application's uploads folder, whose files a page may be given. */
    readonly uploadsDir: string;
  }

  /**
   * The default export of a script. What it returns is kept as the part's result, as JSON of at most 64 KiB; what it
   * throws fails the part, with the line of the script that threw.
   */
  export type Script<Page = unknown, Row extends DatasetRow = DatasetRow> = (
    context: ScriptContext<Page, Row>,
    // biome-ignore lint/suspicious/noConfusingVoidType: a script may also return nothing
  ) => Promise<JsonValue | void>;
}
