/** How the machines of a test's fleet reach PostgreSQL and the store: each by links of its own, which can be cut. */
import { rename } from "node:fs/promises";
import { join } from "node:path";
import { type FailingProxy, startFailingProxy } from "./failing-proxy.ts";
import { type Link, startLink } from "./links.ts";
import { noSwift, startBucket, startSwift, swiftKeys, type TestSwift } from "./swift.ts";

export interface Wires {
  /** Before any other call. */
  at(room: string, postgresUri: string): void;
  /** The URI that the machine uses. */
  postgres(machine: string): Promise<string>;
  archives(machine: string): Promise<string>;
  /** Of the command that begins the fleet. */
  env: Record<string, string>;
  links(machine: string): { postgres: Link; store: Link | null };
  /** The store fails for all until it is called with false. */
  failStore(fails: boolean): Promise<void>;
  close(): Promise<void>;
}

/** The store is Swift with its S3 API where it is installed, else a directory, which has no links. */
export async function openWires(): Promise<Wires> {
  const s3 = noSwift === false ? await startS3() : null;
  const toPostgres = new Map<string, Link>();
  const toStore = new Map<string, Link>();
  let room = "";
  let uri = new URL("postgres://x");
  const linkOf = async (links: Map<string, Link>, machine: string, port: number) => {
    const link = links.get(machine) ?? (await startLink(port));
    links.set(machine, link);
    return link;
  };
  return {
    at(place, postgresUri) {
      room = place;
      uri = new URL(postgresUri);
    },
    async postgres(machine) {
      const own = new URL(uri);
      own.port = String((await linkOf(toPostgres, machine, Number(uri.port))).port);
      return own.href;
    },
    async archives(machine) {
      if (s3 === null) return `dir:${join(room, "store")}`;
      const { port } = await linkOf(toStore, machine, s3.proxy.port);
      return `s3://bucket/fleet?endpoint=${encodeURIComponent(`http://127.0.0.1:${port}`)}&region=us-east-1`;
    },
    env: s3 === null ? {} : { AWS_ACCESS_KEY_ID: swiftKeys.id, AWS_SECRET_ACCESS_KEY: swiftKeys.secret },
    links(machine) {
      const postgres = toPostgres.get(machine);
      if (postgres === undefined) throw new Error(`${machine} has no link`);
      return { postgres, store: toStore.get(machine) ?? null };
    },
    async failStore(fails) {
      if (s3 !== null) return s3.proxy.fail(fails ? "busy" : "none", fails ? Number.MAX_SAFE_INTEGER : 0);
      const [store, away] = [join(room, "store"), join(room, "store-away")];
      await (fails ? rename(store, away) : rename(away, store));
    },
    async close() {
      for (const link of [...toPostgres.values(), ...toStore.values()]) await link.close();
      await s3?.proxy.close();
      await s3?.swift.close();
    },
  };
}

async function startS3(): Promise<{ swift: TestSwift; proxy: FailingProxy }> {
  const swift = await startSwift();
  await startBucket(swift, "bucket");
  return { swift, proxy: await startFailingProxy(swift.port) };
}
