/** A copy of the built service whose browsers and scripts answer at once, and the processor time of each of its threads. */
import { cpSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { build, type Plugin } from "esbuild";
import { ticksPerSec } from "../../actors/kernel/process-load.ts";
import { repositoryRoot } from "../demo/place.ts";

const single = ["library", "pool", "runs", "scheduler", "operations"] as const;
/** A profile's threads count as one row, since there is one per running profile. */
export const threads = ["gateway", ...single, "profile"] as const;
export type ThreadName = (typeof threads)[number];
export type ThreadTimes = Record<ThreadName, number>;

/** Beside `dist`, so that packages are found. Returns the command and the file in which threads write which kernel thread they are. */
export async function buildFake(): Promise<{ command: string; threadsFile: string; remove(): void }> {
  const root = repositoryRoot();
  const dir = join(root, ".cache", "ceilings");
  rmSync(dir, { recursive: true, force: true });
  mkdirSync(dir, { recursive: true });
  cpSync(join(root, "dist"), dir, { recursive: true, filter: (name) => !name.endsWith(".tgz") });
  await build({
    absWorkingDir: root,
    entryPoints: ["actors/profile/actor.ts"],
    outfile: join(dir, "profile.cjs"),
    bundle: true,
    platform: "node",
    target: "node20",
    format: "cjs",
    external: unbundled(root),
    define: { "import.meta.url": "bundleUrl" },
    banner: { js: 'const bundleUrl = require("node:url").pathToFileURL(__filename).href;' },
    plugins: [standIns(root)],
    logLevel: "error",
  });
  const threadsFile = join(dir, "threads");
  for (const name of single) {
    const bundle = join(dir, `${name}.cjs`);
    const note = `require("node:fs").appendFileSync(${JSON.stringify(threadsFile)}, "${name} " + require("node:fs").readlinkSync("/proc/thread-self") + "\\n");\n`;
    writeFileSync(bundle, note + readFileSync(bundle, "utf8"));
  }
  return {
    command: join(dir, "troupe.js"),
    threadsFile,
    remove: () => rmSync(dir, { recursive: true, force: true }),
  };
}

/** As the build of the service has it. */
function unbundled(root: string): string[] {
  const { dependencies }: { dependencies: object } = JSON.parse(
    readFileSync(join(root, "package.json"), "utf8"),
  );
  return Object.keys(dependencies).flatMap((name) => [name, `${name}/*`]);
}

/** Only for the thread itself: the stand-ins import the types of what they replace. */
function standIns(root: string): Plugin {
  const replaced: Record<string, string> = {
    "./chromium/process.ts": "bench/ceilings/fake-process.ts",
    "./script-host.ts": "bench/ceilings/fake-script-host.ts",
  };
  return {
    name: "stand-ins",
    setup({ onResolve }) {
      onResolve({ filter: /\/(process|script-host)\.ts$/ }, ({ path, importer }) => {
        const file = replaced[path];
        if (file === undefined || !importer.startsWith(join(root, "actors", "profile"))) return null;
        return { path: join(root, file) };
      });
    },
  };
}

/** Milliseconds of processor time so far, by thread. Threads of V8 and libuv count as the profiles'. */
export function threadTimes(pid: number, threadsFile: string): ThreadTimes {
  const names = new Map<string, ThreadName>([[String(pid), "gateway"]]);
  for (const line of readFileSync(threadsFile, "utf8").trim().split("\n")) {
    const [name = "", path = ""] = line.split(" ");
    const known = single.find((one) => one === name);
    if (known !== undefined && path.startsWith(`${pid}/`)) names.set(path.split("/").at(-1) ?? "", known);
  }
  const times = Object.fromEntries(threads.map((name) => [name, 0])) as ThreadTimes;
  for (const tid of readdirSync(`/proc/${pid}/task`)) {
    const name = names.get(tid);
    if (name !== undefined) times[name] += msIn(`/proc/${pid}/task/${tid}/stat`);
  }
  const all = msIn(`/proc/${pid}/stat`);
  times.profile = all - threads.reduce((sum, name) => sum + (name === "profile" ? 0 : times[name]), 0);
  return times;
}

function msIn(statFile: string): number {
  const stat = readFileSync(statFile, "utf8");
  const words = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  return ((Number(words[11]) + Number(words[12])) / ticksPerSec) * 1_000;
}
