/** Bundles test files, because loading hundreds of TypeScript modules through tsx takes longer than most tests. */
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { root } from "./paths.mjs";

/** Modules keep the address of their source, from which they find files. */
const keepAddress = {
  name: "keep-address",
  setup({ onLoad }) {
    onLoad({ filter: /\.(ts|mjs)$/ }, ({ path }) => {
      const text = readFileSync(path, "utf8");
      if (path.includes("/node_modules/") || !text.includes("import.meta.url")) return undefined;
      const address = `const sourceAddress = ${JSON.stringify(pathToFileURL(path).href)};`;
      return { contents: `${address}${text}`, loader: path.endsWith(".ts") ? "ts" : "js" };
    });
  },
};

/** Bundles the files into `dir`, and returns the path of each bundle by the file's name. They share modules, so that each is read once. */
export async function bundleTests(files, dir) {
  const { build } = await import("esbuild");
  // Numbered, because node:test sorts them by name.
  const outs = files.map(
    (file, index) => `${String(index + 1).padStart(3, "0")}-${file.replace(/\.ts$/, "")}`,
  );
  await build({
    absWorkingDir: root,
    entryPoints: files.map((file, index) => ({ in: file, out: outs[index] })),
    outdir: dir,
    outExtension: { ".js": ".mjs" },
    bundle: true,
    splitting: true,
    format: "esm",
    platform: "node",
    target: "node20",
    packages: "external",
    define: { "import.meta.url": "sourceAddress" },
    plugins: [keepAddress],
    sourcemap: "linked",
    sourcesContent: false,
    logLevel: "warning",
  });
  return new Map(files.map((file, index) => [file, join(dir, `${outs[index]}.mjs`)]));
}

/**
 * Deals the files to at most `most` groups, and returns a module for each. One process for several files saves what each would spend on
 * its start and on the modules that they share.
 */
export function groupTests(files, most, bundles) {
  const groups = Array.from({ length: Math.min(most, files.length) }, () => []);
  files.forEach((file, index) => {
    // Those of the source parse it whole, once a process.
    const group = file.startsWith("test/tidy/") ? groups[0] : groups[index % groups.length];
    group.push([file, pathToFileURL(bundles.get(file)).href]);
  });
  const runner = pathToFileURL(join(root, ".setup", "test-group.mjs")).href;
  return groups
    .filter((members) => members.length > 0)
    .map((members) => {
      const path = bundles.get(members[0][0]).replace(/\.mjs$/, "-group.mjs");
      writeFileSync(
        path,
        `import { runGroup } from ${JSON.stringify(runner)};\nrunGroup(${JSON.stringify(members)});\n`,
      );
      return path;
    });
}
