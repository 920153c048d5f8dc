/** The connection to PostgreSQL, with errors in words. The package is loaded only where a fleet is on. */
import type { Client, Pool, PoolClient } from "pg";
import { Fault } from "../../protocol/faults.ts";
import { fleetLimits, fleetPackage, installing } from "../../protocol/fleet.ts";

export type Row = Record<string, unknown>;

export interface Sql {
  all(text: string, values?: unknown[]): Promise<Row[]>;
}

export interface Postgres extends Sql {
  /** Sees what earlier statements of other transactions have committed, statement by statement. */
  transaction<T>(work: (sql: Sql) => Promise<T>): Promise<T>;
  /** Calls `wake` at each notification on the channel, and when the connection was lost and is there again. */
  listen(channel: string, wake: () => void): void;
  close(): Promise<void>;
}

const listenAgainMs = 1_000;
const oldestMajor = 13;

async function load() {
  try {
    return (await import("pg")).default;
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code;
    if (code !== "ERR_MODULE_NOT_FOUND" && code !== "MODULE_NOT_FOUND") throw error;
    throw new Fault(
      "invalid",
      `a fleet needs a package that is not installed with Troupe; ${installing(fleetPackage)}`,
    );
  }
}

/** Throws `invalid` (the package is missing, the URI is none). Connects with the first statement. */
export async function openPostgres(uri: string, connections = 3): Promise<Postgres> {
  const pg = await load();
  const where = placeOf(uri);
  const options = {
    connectionString: uri,
    connectionTimeoutMillis: fleetLimits.queryMs,
    // The answer of a server behind a connection that drops packets never comes, and nothing resets the connection.
    query_timeout: fleetLimits.queryMs,
    statement_timeout: fleetLimits.queryMs,
    keepAlive: true,
    application_name: "troupe",
  };
  const pool: Pool = new pg.Pool({ ...options, max: connections });
  pool.on("error", () => {}); // An idle connection broke: the next statement opens another.
  const asking = async <T>(work: () => Promise<T>): Promise<T> => {
    try {
      return await work();
    } catch (error) {
      throw inWords(error, where);
    }
  };
  const allOf =
    (client: Pool | PoolClient) =>
    async (text: string, values: unknown[] = []) =>
      (await client.query<Row>(text, values)).rows;
  const all = allOf(pool);
  let closed = false;
  let listener: Client | null = null;

  return {
    all: (text, values) => asking(() => all(text, values)),
    transaction: (work) =>
      asking(async () => {
        const client = await pool.connect();
        try {
          await client.query("BEGIN");
          const value = await work({ all: allOf(client) });
          await client.query("COMMIT");
          client.release();
          return value;
        } catch (error) {
          client.release(true); // Ends the connection, and with it the transaction.
          throw error;
        }
      }),
    listen(channel, wake) {
      const again = () => {
        listener = null;
        if (!closed) setTimeout(begin, listenAgainMs).unref();
      };
      const begin = () => {
        if (closed) return;
        const client: Client = new pg.Client(options);
        listener = client;
        client.on("notification", wake);
        client.on("error", () => {});
        client.once("end", again);
        client
          .connect()
          .then(() => client.query(`LISTEN ${channel}`))
          .then(wake)
          .catch(() => void client.end().catch(() => {}));
      };
      begin();
    },
    async close() {
      closed = true;
      await Promise.all([pool.end(), listener?.end()].map((ending) => ending?.catch(() => {})));
    },
  };
}

/** Host and database, without user and password. Throws `invalid`. */
export function placeOf(uri: string): string {
  let url: URL;
  try {
    url = new URL(uri);
  } catch {
    throw new Fault("invalid", "--postgres must be a URI, such as postgres://user:password@host/database");
  }
  if (!/^postgres(ql)?:$/.test(url.protocol))
    throw new Fault("invalid", `--postgres must begin with postgres://, got ${url.protocol}//`);
  // The rest of a password would be shown as the host, and looked up.
  if ([url.pathname, url.hash, ...url.searchParams.keys()].some((part) => part.includes("@")))
    throw new Fault(
      "invalid",
      "--postgres must have user and password percent-encoded: %2F for /, %3F for ?, %23 for #, %40 for @",
    );
  return `PostgreSQL at ${url.host || url.searchParams.get("host") || "the local socket"}${url.pathname}`;
}

const reasons: Record<string, string> = {
  ECONNREFUSED: "refuses connections: it is not running, or listens elsewhere",
  ENOTFOUND: "is unknown: no machine has this name",
  ENOENT: "is not running: its socket is not there",
  ECONNRESET: "has cut the connection",
  EHOSTUNREACH: "cannot be reached",
  ETIMEDOUT: "does not answer",
  "28P01": "refuses the password",
  "28000": "refuses this user; see its pg_hba.conf",
  "3D000": "has no such database; create it with: createdb",
  "42P01": "has no fleet any more: it was switched off on the head",
  "3F000": "has no fleet any more: it was switched off on the head",
  "42501": "does not let this user create a schema; grant it CREATE on the database",
  "53100": "has a full disk",
  "53300":
    "has no connection left; raise max_connections or the limit of its user or database, or put a pooler before it",
  "57P01": "is shutting down",
  "57P03": "is starting or shutting down",
  "25006": "is read-only: it is a standby",
  "57014": "is too slow: a statement was cancelled",
};

/** Of a fault of `inWords`: the fleet's tables are gone. */
export const noFleetCodes: readonly unknown[] = ["42P01", "3F000"];

/** `internal`, so that callers that insist try again. */
function inWords(error: unknown, where: string): Fault {
  if (error instanceof Fault) return error;
  const { code, message, syscall, path } = error as NodeJS.ErrnoException;
  if (syscall === "open")
    return new Fault("internal", `${where} needs the file ${path}, which cannot be read (${code})`);
  const silent = /timeout|terminated/i.test(message ?? "") && code === undefined;
  const why = reasons[code ?? ""] ?? (silent ? "does not answer" : `fails: ${message ?? String(error)}`);
  return new Fault("internal", `${where} ${why}`, { code: code ?? (silent ? "silent" : "postgres") });
}

/** Throws `invalid`. */
export async function refuseOldServer(sql: Sql): Promise<void> {
  const [row] = await sql.all("SHOW server_version");
  const version = String(row?.server_version ?? "");
  if (Number.parseInt(version, 10) >= oldestMajor) return;
  throw new Fault(
    "invalid",
    `the fleet needs PostgreSQL ${oldestMajor} or later, and this one is ${version}`,
  );
}
