/** Verbs on a stopped browser or page are answered by their deadline, or as soon as no reply can come. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { Mailbox } from "../../actors/kernel/mailbox.ts";
import { CdpError, CdpSession } from "../../actors/profile/cdp/session.ts";
import { Turns, type TurnTabs } from "../../actors/profile/page/verb-turns.ts";
import { conflict } from "../conflict.ts";

const overdue = new CdpError("Browser.getVersion", { failure: "overdue", reason: "no answer" });

/** A browser with one tab. What hangs never answers, and its deadline is over at once. */
function open(hangs: { browser: boolean; page: boolean }) {
  const mailbox = new Mailbox("the page", 10);
  let asked = 0;
  let givenUp = (): void => {};
  const session = (silent: () => boolean): TurnTabs["root"] => {
    const own = new CdpSession(
      { transmit: () => 0, callMs: () => 15_000, inputBegins: () => () => {} },
      null,
      null,
    );
    own.send = async () => {
      asked += 1;
      if (silent()) throw overdue;
      return {} as never;
    };
    return own;
  };
  const tabs: TurnTabs = {
    root: session(() => hangs.browser),
    all: () => [{ crashed: false, session: session(() => hangs.page) }],
    giveUp: () => givenUp(),
  };
  const turns = new Turns(tabs, (work) => mailbox.run(work));
  return {
    hang: () =>
      turns.run(
        { name: "evaluate", timeoutMs: 1, overdue: "it took too long" },
        () =>
          new Promise((_, reject) => {
            givenUp = () => reject(overdue);
          }),
      ),
    verb: (name = "click") =>
      turns.run({ name, timeoutMs: 10_000, ...(name === "navigate" && { leaves: true }) }, async (look) => {
        await look();
        return name;
      }),
    asked: () => asked,
  };
}

test("verbs queued behind one that hung with its browser fail with the reason, without another check", async () => {
  const { hang, verb, asked } = open({ browser: true, page: true });
  const first = hang();
  const behind = [verb(), verb("navigate"), verb()];
  await assert.rejects(first, conflict(/^it took too long$/));
  for (const one of behind) await assert.rejects(one, conflict(/^the browser does not answer/));
  assert.equal(asked(), 2);
});

test("a hanging page can be left, and later verbs run when it answers again", async () => {
  const hangs = { browser: false, page: true };
  const { hang, verb } = open(hangs);
  const first = hang();
  const behind = [verb(), verb("navigate")];
  await assert.rejects(first, conflict(/^it took too long$/));
  await assert.rejects(behind[0] ?? first, conflict(/^the page does not answer/));
  assert.equal(await behind[1], "navigate");
  await assert.rejects(verb(), conflict(/^the page does not answer/));
  hangs.page = false;
  assert.equal(await verb(), "click");
});

test("a verb that was only slow does not affect the next one", async () => {
  const { verb, asked } = open({ browser: true, page: true });
  assert.equal(await verb(), "click");
  assert.equal(asked(), 0);
});
