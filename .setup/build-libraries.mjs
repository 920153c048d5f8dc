/** Builds the script libraries: Puppeteer as one file, and V8's code cache of both. */
import { readFileSync, realpathSync, renameSync } from "node:fs";
import { join } from "node:path";
import { findChromium } from "./find-chromium.mjs";
import { distDir, root } from "./paths.mjs";
import { StepFailure, say } from "./say.mjs";
import { runQuiet } from "./shell.mjs";

/** One file; actors/script/entry.ts explains why. */
export const puppeteerBundle = "dist/puppeteer.cjs";

/**
 * Parts of Puppeteer that scripts do not need, with replacements: browser downloads, the command line, BiDi, and debug logging, which
 * would create a logger per message.
 */
const unused = [
  [/[\\/]node_modules[\\/](?:proxy-agent|yargs)[\\/]/, "module.exports = {};"],
  // Scripts use the runner's own pipe. This package would load Node's http, https, tls, crypto and zlib.
  [
    /[\\/]node_modules[\\/]ws[\\/]/,
    `export default class { constructor() { throw new Error("this is not available in scripts"); } }`,
  ],
  [/[\\/]puppeteer[\\/]bidi[\\/]bidi\.js$/, "export {};"],
  [
    /[\\/]@puppeteer[\\/]browsers[\\/]lib[\\/]esm[\\/]httpUtil\.js$/,
    functions("headHttpRequest", "httpRequest", "downloadFile", "getJSON", "getText"),
  ],
  [
    /[\\/]puppeteer[\\/]common[\\/]Debug\.js$/,
    `${functions("importDebug", "setLogCapture")}
     export const debug = () => () => {};
     export const getCapturedLogs = () => [];`,
  ],
];

function functions(...names) {
  const refusal = 'throw new Error("this is not available in scripts");';
  return names.map((name) => `export function ${name}() { ${refusal} }`).join("\n");
}

const withoutUnused = {
  name: "without-unused",
  setup(build) {
    for (const [filter, contents] of unused) {
      let found = false;
      build.onLoad({ filter }, () => {
        found = true;
        return { contents };
      });
      build.onEnd(() => (found ? {} : { errors: [{ text: `Puppeteer has no file ${filter} any more` }] }));
    }
  },
};

export async function buildLibraries(build) {
  const target = join(root, puppeteerBundle);
  await build({
    absWorkingDir: root,
    entryPoints: ["puppeteer-core"],
    outfile: `${target}.next`,
    bundle: true,
    platform: "node",
    target: "node20",
    format: "cjs",
    logLevel: "silent",
    // Non-Latin characters in comments would make V8 store the whole text with two bytes per character. Keep names, because errors show
    // them.
    legalComments: "none",
    minifyWhitespace: true,
    minifySyntax: true,
    plugins: [withoutUnused],
  });
  renameSync(`${target}.next`, target);
  const modules = {
    puppeteer: target,
    playwright: realpathSync(join(root, "node_modules/playwright-core/index.js")),
  };
  const found = findChromium();
  const chromium = found === null ? [] : [found];
  const heaps = [...readFileSync(join(root, "protocol/limits.ts"), "utf8").matchAll(/heapMb: (\d+)/g)];
  const made = heaps.flatMap(([, heapMb]) =>
    Object.entries(modules).map(([library, file]) => {
      const cacheDir = join(distDir, "library-cache", `${library}-${heapMb}`);
      const args = [`--max-old-space-size=${heapMb}`, "--no-warnings", join(distDir, "make-cache.js")];
      return runQuiet(process.execPath, [...args, library, file, cacheDir, ...chromium]);
    }),
  );
  for (const done of await Promise.all(made)) {
    if (!done.ok)
      throw new StepFailure(`a library's code cache could not be made: ${done.why}`, {
        tail: done.tail,
        remedy: "run the command again",
      });
    if (done.stdout !== "") say(done.stdout.trim());
  }
}
