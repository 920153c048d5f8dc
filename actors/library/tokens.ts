/** Tokens: create, list, revoke. The value appears in one reply; storage has only its SHA-256. */
import { createHash, randomBytes } from "node:crypto";
import { Fault } from "../../protocol/faults.ts";
import type { LibraryApi } from "../../protocol/messages/library.ts";
import { deleteToken, hasToken, insertToken, noteTokenUse, readTokens } from "../../storage/tables/tokens.ts";
import { instant, type LibraryContext } from "./context.ts";

/** 256 random bits. The prefix lets secret scanners and people recognise it. */
function newTokenValue(): string {
  return `troupe_${randomBytes(32).toString("base64url")}`;
}

const nameCharsMax = 100;

type TokenCalls = "mintToken" | "listTokens" | "revokeToken" | "tokenKeys" | "tokensUsed";

export function tokensArea({ database, clock }: LibraryContext): Pick<LibraryApi, TokenCalls> {
  return {
    mintToken: ({ name, access }) =>
      database.write((sql) => {
        if (name.trim() === "" || name.length > nameCharsMax) {
          throw new Fault(
            "invalid",
            `a token's name has 1 to ${nameCharsMax} characters, got ${name.length}`,
          );
        }
        if (hasToken(sql, name))
          throw new Fault(
            "conflict",
            `there is a token named ${JSON.stringify(name)} already: use its value, name another, or revoke it first; a service is started again without --mint`,
          );
        const token = newTokenValue();
        const sha256 = createHash("sha256").update(token).digest("hex");
        insertToken(sql, { name, access, sha256, createdAt: instant(clock), lastUsed: null });
        return { token };
      }),
    listTokens: () => database.read((sql) => readTokens(sql).map(({ sha256: _sha256, ...token }) => token)),
    revokeToken: ({ name }) =>
      database.write((sql) => {
        if (!deleteToken(sql, name))
          throw new Fault("not-found", `there is no token named ${JSON.stringify(name)}`);
        return null;
      }),
    tokenKeys: () =>
      database.read((sql) => readTokens(sql).map(({ name, access, sha256 }) => ({ name, access, sha256 }))),
    tokensUsed: ({ uses }) =>
      database.write((sql) => {
        for (const { name, at } of uses) noteTokenUse(sql, name, new Date(at).toISOString());
        return null;
      }),
  };
}
