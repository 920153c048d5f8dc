/** Bearer tokens, known only by their SHA-256. */
import { hash } from "node:crypto";
import { type Clock, systemClock, type Timer } from "../../actors/kernel/clock.ts";
import type { Log } from "../../actors/kernel/log.ts";
import type { LibraryApi, TokenKey } from "../../protocol/messages/library.ts";
import type { Principal } from "../route.ts";

/** Uses are stored in batches, so that a read does not cost a write. */
const usesNotedAfterMs = 10_000;

export interface Tokens {
  /** Null without a token, or for one that we did not issue. */
  holder(authorization: string | undefined): Principal | null;
  reload(): Promise<void>;
  close(): Promise<void>;
}

export async function openTokens(library: LibraryApi, log: Log, clock: Clock = systemClock): Promise<Tokens> {
  let keys = new Map<string, TokenKey>();
  /** Unix milliseconds of the last use, by token name. */
  const uses = new Map<string, number>();
  let timer: Timer | null = null;

  const reload = async () => {
    keys = new Map((await library.tokenKeys({})).map((key) => [key.sha256, key]));
  };
  const note = async () => {
    timer = null;
    const noted = [...uses].map(([name, at]) => ({ name, at: new Date(at).toISOString() }));
    uses.clear();
    if (noted.length > 0) await library.tokensUsed({ uses: noted });
  };
  await reload();

  return {
    holder(authorization) {
      const value = /^Bearer +(\S+) *$/i.exec(authorization ?? "")?.[1];
      if (value === undefined) return null;
      // A lookup by hash needs no constant time: the hash reveals nothing of the token.
      const key = keys.get(hash("sha256", value));
      if (key === undefined) return null;
      uses.set(key.name, clock.now());
      timer ??= clock.timer(usesNotedAfterMs, () => {
        note().catch((error: unknown) => log.error("token uses were not stored", { error }));
      });
      return { tokenName: key.name, access: key.access };
    },
    reload,
    async close() {
      timer?.cancel();
      await note();
    },
  };
}
