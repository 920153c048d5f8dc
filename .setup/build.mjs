/** Step 4: bundles each process and thread of the service into dist/ with esbuild. */
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { basename, dirname, extname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { buildLibraries, puppeteerBundle } from "./build-libraries.mjs";
import { distDir, root } from "./paths.mjs";
import { StepFailure, timed } from "./say.mjs";
import { filesUnder, hashOf, isStamped, stamp, unstamp } from "./stamp.mjs";

const actors = Object.fromEntries(
  filesUnder("actors", (name) => name.endsWith("/actor.ts")).map((name) => [basename(dirname(name)), name]),
);

export const entries = {
  troupe: "gateway/cli/troupe.ts",
  serve: "gateway/cli/serve.ts",
  "install-chromium": "gateway/install-chromium.ts",
  fleet: "gateway/fleet/commands.ts",
  guard: "gateway/fleet/guard.ts",
  ...actors,
  tasks: "actors/tasks/task.ts",
  runner: "actors/script/runner.ts",
  "make-cache": "actors/script/make-cache.ts",
  demo: "bench/demo/demo.ts",
  bench: "bench/bench.ts",
  "batch-cluster": "bench/batch/cluster-host.ts",
  "batch-crawlee": "bench/batch/crawlee-host.ts",
};

/** Threads of actors are CommonJS, because it loads faster than a module; the other because of the packages inside it. */
const isCommonJs = (name) => name in actors || name === "install-chromium";
const fileOf = (name) => `dist/${name}.${isCommonJs(name) ? "cjs" : "js"}`;

export const outputs = () => [
  ...Object.keys(entries).map(fileOf),
  puppeteerBundle,
  ...copies.map(({ to }) => to),
  ...pageOutputs,
];

/** Beside the bundle of what uses it, as beside its source. */
const copies = [
  { from: "actors/profile/chromium/schemes/xdg-settings", to: "dist/schemes/xdg-settings", mode: 0o755 },
  { from: "bench/demo/shopper-script.ts", to: "dist/shopper-script.ts", mode: 0o644 },
];

const pageFolder = "gateway/app/page";
const pageOutputs = ["index.html", "icon.svg", "main.js", "main.css", "csv-worker.js"].map(
  (name) => `dist/page/${name}`,
);

const sourcesHash = () =>
  hashOf([
    ...["gateway", "actors", "protocol", "storage", "bench"].flatMap((folder) =>
      filesUnder(
        folder,
        (name) =>
          /\.(tsx?|json|css|html|svg)$|\/xdg-settings$/.test(name) && !name.startsWith("gateway/client/"),
      ),
    ),
    "package-lock.json",
    "package.json",
    "tsconfig.json",
    ".setup/build.mjs",
    ".setup/build-libraries.mjs",
  ]);

/** Includes the Node version, because code caches belong to one V8. */
const inputsHash = () => `${sourcesHash()} ${process.version}`;

export const isBuilt = () => isStamped("build", inputsHash(), outputs());

/** Replaces the file atomically, because a running service may start a thread at any time. */
function writeWhole(path, contents, mode) {
  mkdirSync(dirname(path), { recursive: true });
  const next = `${path}.next`;
  writeFileSync(next, contents, { mode });
  renameSync(next, path);
}

/** The first two make threads start faster; the others would install packages that little of them needs. Others stay in node_modules. */
export const bundledPackages = ["typia", "typed-rpc", "string-width", "@puppeteer/browsers"];

function externalPackages() {
  const { dependencies, devDependencies } = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));
  const names = Object.keys({ ...dependencies, ...devDependencies });
  return names.filter((name) => !bundledPackages.includes(name)).flatMap((name) => [name, `${name}/*`]);
}

async function bundle(names) {
  await Promise.all([
    bundleAs(
      names.filter((name) => !isCommonJs(name)),
      { format: "esm" },
    ),
    bundleAs(
      names.filter((name) => isCommonJs(name)),
      {
        format: "cjs",
        outExtension: { ".js": ".cjs" },
        define: { "import.meta.url": "bundleUrl" },
        banner: { js: 'const bundleUrl = require("node:url").pathToFileURL(__filename).href;' },
      },
    ),
  ]);
}

async function bundleAs(names, format) {
  if (names.length === 0) return;
  const { build } = await import("esbuild");
  const result = await build({
    absWorkingDir: root,
    entryPoints: names.map((name) => ({ in: entries[name], out: name })),
    outdir: distDir,
    bundle: true,
    write: false,
    platform: "node",
    target: "node20",
    ...format,
    external: externalPackages(),
    sourcemap: "linked",
    // A thread with --enable-source-maps reads its whole map at start, and the sources are available anyway.
    sourcesContent: false,
    legalComments: "none",
    logLevel: "silent",
  }).catch((failure) => {
    throw bundleFailure(failure);
  });
  for (const file of result.outputFiles) {
    // esbuild keeps the #! line of a command's source; such a file becomes executable.
    writeWhole(file.path, file.contents, file.text.startsWith("#!") ? 0o755 : 0o644);
  }
}

async function bundlePage() {
  const { build } = await import("esbuild");
  const result = await build({
    absWorkingDir: root,
    entryPoints: ["main.tsx", "main.css", "datasets/csv-worker.ts"].map((name) => ({
      in: `${pageFolder}/${name}`,
      out: basename(name, extname(name)), // All in one folder.
    })),
    outdir: join(distDir, "page"),
    bundle: true,
    splitting: true,
    chunkNames: "part-[hash]",
    write: false,
    metafile: true,
    platform: "browser",
    target: "es2022",
    format: "esm",
    minify: true,
    jsx: "automatic",
    jsxImportSource: "preact",
    legalComments: "none",
    logLevel: "silent",
  }).catch((failure) => {
    throw bundleFailure(failure);
  });
  const built = new Map(result.outputFiles.map(({ path, contents }) => [basename(path), contents]));
  built.set("icon.svg", readFileSync(join(root, pageFolder, "icon.svg")));
  built.set("index.html", withPreloads(result.metafile));
  for (const [name, contents] of built) writeWhole(join(distDir, "page", name), contents, 0o644);
  for (const name of readdirSync(join(distDir, "page"))) {
    if (!built.has(name)) rmSync(join(distDir, "page", name), { force: true });
  }
}

/** Adds preload links for the chunks that main.js imports at once, so that the browser loads them in parallel. */
function withPreloads({ outputs }) {
  const html = readFileSync(join(root, pageFolder, "index.html"), "utf8");
  const main = Object.keys(outputs).find((path) => basename(path) === "main.js");
  const pieces = outputs[main].imports.filter(({ kind }) => kind === "import-statement");
  const links = pieces.map(({ path }) => `<link rel="modulepreload" href="/${basename(path)}" />`);
  const whole = html.replace(/<!-- The build names .*? -->/, links.join("\n    "));
  if (whole === html) throw new StepFailure("index.html has no placeholder for the chunks of main.js", {});
  return whole;
}

function bundleFailure(failure) {
  const tail = (failure.errors ?? []).map(({ text, location }) =>
    location ? `${location.file}:${location.line}:${location.column} ${text}` : text,
  );
  return new StepFailure("esbuild could not bundle the sources", {
    tail: tail.length > 0 ? tail.slice(0, 20) : [String(failure)],
    remedy: "fix the named source, then run the command again",
  });
}

export async function buildEntries(names = Object.keys(entries)) {
  const whole = names.length === Object.keys(entries).length;
  await timed(`building ${whole ? "the service" : names.join(", ")} (esbuild)`, async () => {
    const hash = inputsHash();
    const missing = names.filter((name) => !entries[name] || !existsSync(join(root, entries[name])));
    if (missing.length > 0) {
      throw new StepFailure(
        `sources are missing: ${missing.map((name) => entries[name] ?? name).join(", ")}`,
        {
          remedy: "restore them from git",
        },
      );
    }
    if (whole) unstamp("build");
    await bundle(names);
    for (const { from, to, mode } of copies) writeWhole(join(root, to), readFileSync(join(root, from)), mode);
    if (whole) await Promise.all([buildLibraries((await import("esbuild")).build), bundlePage()]);
    if (whole) stamp("build", hash);
  });
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const { runStep } = await import("./run-step.mjs");
  const named = process.argv.slice(2);
  await runStep(() => buildEntries(named.length > 0 ? named : undefined));
}
