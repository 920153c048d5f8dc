/** What a page does that freezing would break is found without a trace in the page. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { isBusyPage } from "../../actors/profile/busy-page.ts";
import { shownPage } from "./fixture/shown-page.ts";

const page = shownPage();

/** A minute of sound, in a player that is not in the document. */
const player = `(() => {
  const rate = 8_000, samples = rate * 60, bytes = new DataView(new ArrayBuffer(44 + samples));
  const text = (at, word) => [...word].forEach((char, index) => bytes.setUint8(at + index, char.charCodeAt(0)));
  text(0, "RIFF"); bytes.setUint32(4, 36 + samples, true); text(8, "WAVEfmt "); bytes.setUint32(16, 16, true);
  bytes.setUint16(20, 1, true); bytes.setUint16(22, 1, true); bytes.setUint32(24, rate, true);
  bytes.setUint32(28, rate, true); bytes.setUint16(32, 1, true); bytes.setUint16(34, 8, true);
  text(36, "data"); bytes.setUint32(40, samples, true);
  globalThis.sound = new Audio(URL.createObjectURL(new Blob([bytes], { type: "audio/wav" })));
  sound.muted = true;
  return sound.play();
})()`;

const cases: { what: string; begin: string; end: string }[] = [
  { what: "a player that is not in the document", begin: player, end: "sound.pause()" },
  {
    what: "generated sound",
    begin: "globalThis.audio = new AudioContext(); audio.resume()",
    end: "audio.close()",
  },
  {
    what: "a call",
    begin: "globalThis.call = new RTCPeerConnection(); call.createDataChannel('x'); 1",
    end: "call.close(); globalThis.call = null; 1",
  },
];

for (const { what, begin, end } of cases)
  test(`${what} makes a page busy until it ends`, async () => {
    await page.show(`<button id="b">Play</button>`);
    await page.click("#b"); // Sound needs a user's activation.
    const [tab] = page.browser.tabs.all();
    assert.ok(tab);
    assert.equal(await isBusyPage(tab.session), false);
    await page.value(begin);
    // Players report in batches.
    while (!(await isBusyPage(tab.session)));
    await page.value(end);
    while (await isBusyPage(tab.session));
  });
