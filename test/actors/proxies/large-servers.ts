/** The large proxies of Debian for tests, each with one user whose name and password have every odd character. */
import { spawnSync } from "node:child_process";
import { existsSync, readdirSync } from "node:fs";
import { chmod, mkdir, mkdtemp, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { ProxyType, ProxyUpstream } from "../../../protocol/proxies.ts";
import { freePort, startProgram } from "./servers.ts";

export const oddUser = "us er@x.y:1";
export const oddPassword = "pä:@/%20#?Ü=";

export const squidPath = "/usr/sbin/squid";
export const dantePath = "/usr/sbin/danted";

export interface LargeProxy {
  upstream: ProxyUpstream;
  close(): Promise<void>;
}

/** The programs leave root's rights, so that others must be able to reach and read their files. */
async function openDir(): Promise<string> {
  await chmod(tmpdir(), (await stat(tmpdir())).mode | 0o011);
  const dir = await mkdtemp(join(tmpdir(), "troupe-test-"));
  await chmod(dir, 0o755);
  return dir;
}

function large(
  type: ProxyType,
  port: number,
  withPassword: boolean,
  ends: { stop(): Promise<void>; dir: string },
): LargeProxy {
  return {
    upstream: {
      type,
      host: "127.0.0.1",
      port,
      username: withPassword ? oddUser : null,
      password: withPassword ? oddPassword : null,
    },
    async close() {
      await ends.stop();
      await rm(ends.dir, { recursive: true, force: true });
    },
  };
}

/** The user's name ends at the first colon, for every HTTP proxy. */
function ncsaLine(): string {
  const [name, ...rest] = `${oddUser}:${oddPassword}`.split(":");
  const { stdout } = spawnSync("openssl", ["passwd", "-6", "-stdin"], {
    input: rest.join(":"),
    encoding: "utf8",
  });
  return `${name}:${stdout}`;
}

export async function startSquid(withPassword: boolean): Promise<LargeProxy> {
  const dir = await openDir();
  const port = await freePort();
  const [file, users] = [join(dir, "squid.conf"), join(dir, "users")];
  await writeFile(users, ncsaLine());
  const access = withPassword
    ? `auth_param basic program /usr/lib/squid/basic_ncsa_auth ${users}
auth_param basic children 1 startup=1
acl known proxy_auth REQUIRED
http_access allow known
http_access deny all`
    : "http_access allow all";
  await writeFile(
    file,
    `http_port 127.0.0.1:${port}
${access}
cache deny all
pid_filename none
access_log none
cache_log /dev/null
cache_mem 8 MB
max_filedescriptors 1024
pinger_enable off
shutdown_lifetime 0
dns_nameservers 127.0.0.1
dns_timeout 1 second
forward_max_tries 1
connect_timeout 5 seconds
client_request_buffer_max_size 2 MB
request_header_max_size 512 KB
reply_header_max_size 512 KB
coredump_dir ${dir}
visible_hostname squid.test
`,
  );
  // A service name of its own, since two of one name share memory.
  const stop = await startProgram(squidPath, ["-N", "-n", `test${port}`, "-f", file], port);
  return large("http", port, withPassword, { stop, dir });
}

/** Dante asks PAM for passwords. libpam-wrapper lets it read the rules of this test instead of the machine's. */
export async function startDante(withPassword: boolean): Promise<LargeProxy> {
  const dir = await openDir();
  const port = await freePort();
  const [file, users, rules] = [join(dir, "danted.conf"), join(dir, "users"), join(dir, "pam")];
  const asRoot = process.getuid?.() === 0;
  await writeFile(
    file,
    `internal: 127.0.0.1 port = ${port}
external: lo
socksmethod: ${withPassword ? "pam.username" : "none"}
clientmethod: none
${asRoot ? "user.privileged: root\nuser.unprivileged: nobody" : ""}
client pass { from: 0/0 to: 0/0 }
socks pass { from: 0/0 to: 0/0 }
socks pass { from: ::/0 to: ::/0 }
`,
  );
  const env: NodeJS.ProcessEnv = {};
  if (withPassword) {
    spawnSync("db5.3_load", ["-T", "-t", "hash", `${users}.db`], { input: `${oddUser}\n${oddPassword}\n` });
    await mkdir(rules);
    const rule = `auth required pam_userdb.so db=${users} crypt=none\naccount required pam_permit.so\n`;
    for (const service of ["sockd", "other"]) await writeFile(join(rules, service), rule);
    Object.assign(env, { PAM_WRAPPER: "1", PAM_WRAPPER_SERVICE_DIR: rules, LD_PRELOAD: pamWrapper() });
  }
  const stop = await startProgram(dantePath, ["-f", file], port, env);
  return large("socks5", port, withPassword, { stop, dir });
}

function pamWrapper(): string {
  const found = readdirSync("/usr/lib")
    .map((name) => join("/usr/lib", name, "libpam_wrapper.so"))
    .find((path) => existsSync(path));
  if (found === undefined) throw new Error("libpam-wrapper is not installed");
  return found;
}
