/** A PostgreSQL server of a test's own, from the system's package. */
import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { chmodSync, chownSync, existsSync, mkdtempSync, readdirSync, rmSync } from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";
import { openPostgres } from "../../actors/fleet/postgres.ts";
import { until } from "../gateway/serve.ts";

export interface TestPostgres {
  uri: string;
  port: number;
  pid(): number;
  stop(): Promise<void>;
  start(): Promise<void>;
  /** Stops it and removes its files. */
  close(): Promise<void>;
}

const roots = ["/usr/lib/postgresql", "/usr/pgsql", "/opt/homebrew/opt/postgresql"];

/** The directory of `initdb` and `postgres`; null: PostgreSQL is not installed. */
function findBinaries(): string | null {
  const versions = roots.flatMap((root) =>
    existsSync(root) ? [root, ...readdirSync(root).map((name) => join(root, name))] : [],
  );
  const places = [...(process.env.PATH ?? "").split(":"), ...versions.map((dir) => join(dir, "bin"))];
  return places.find((dir) => existsSync(join(dir, "initdb")) && existsSync(join(dir, "postgres"))) ?? null;
}

/** PostgreSQL refuses root. Null: this user need not change. */
function serverUser(): { uid: number; gid: number } | null {
  if (process.getuid?.() !== 0) return null;
  const idOf = (flag: string) => Number(execFileSync("id", [flag, "postgres"], { encoding: "utf8" }));
  return { uid: idOf("-u"), gid: idOf("-g") };
}

const binaries = findBinaries();

export const noPostgres: string | false =
  binaries === null ? "PostgreSQL is not installed (Debian: apt install postgresql)" : false;

/** Options of a test that needs PostgreSQL: without it the test is skipped, with the reason. */
export const needsPostgres = { skip: noPostgres };

export async function startPostgres(): Promise<TestPostgres> {
  if (binaries === null) throw new Error(String(noPostgres));
  const user = serverUser();
  // Not in the test's own temporary directory, which another user may not enter.
  const dir = mkdtempSync("/var/tmp/troupe-postgres-");
  chmodSync(dir, 0o700);
  if (user !== null) chownSync(dir, user.uid, user.gid);
  const asUser = { ...(user ?? {}), cwd: dir };
  const data = join(dir, "data");
  const initArgs = ["-D", data, "-U", "troupe", "-A", "trust", "-E", "UTF8", "--no-sync"];
  execFileSync(join(binaries, "initdb"), initArgs, { ...asUser, stdio: "ignore" });
  const port = await freePort();
  const uri = `postgres://troupe@127.0.0.1:${port}/postgres`;
  let server: ChildProcess | null = null;
  const start = async () => {
    const settings = [
      "listen_addresses=127.0.0.1",
      `unix_socket_directories=${dir}`,
      "max_connections=200",
      "fsync=off",
    ];
    const args = ["-D", data, "-p", String(port), ...settings.flatMap((one) => ["-c", one])];
    const started = spawn(join(binaries, "postgres"), args, { ...asUser, stdio: "ignore" });
    server = started;
    await until("PostgreSQL accepts connections", () => accepts(uri), 100);
  };
  const stop = async () => {
    const ended = server;
    if (ended === null) return;
    server = null;
    const exit = new Promise<void>((done) => void ended.once("exit", () => done()));
    ended.kill("SIGINT"); // Its fast shutdown.
    await exit;
  };
  await start();
  return {
    uri,
    port,
    pid: () => server?.pid ?? 0,
    start,
    stop,
    async close() {
      await stop();
      rmSync(dir, { recursive: true, force: true });
    },
  };
}

export async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
  const { port } = server.address() as { port: number };
  await new Promise((done) => server.close(done));
  return port;
}

async function accepts(uri: string): Promise<boolean> {
  const postgres = await openPostgres(uri, 1);
  const answers = await postgres.all("SELECT 1").then(
    () => true,
    () => false,
  );
  await postgres.close();
  return answers;
}
