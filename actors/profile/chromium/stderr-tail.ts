/** The end of what a browser wrote on stderr: bounded, for the texts of faults. */

const tailCharsMax = 8 * 1024;
const wordsLinesMax = 4;
const wordsCharsMax = 600;
/** What every Chromium says on a machine without a desktop, and what says nothing about a failure. */
const noise = /dbus|DevTools listening|gcm\/engine|vaapi|unexpected operator/i;

export class StderrTail {
  #text = "";

  add(chunk: Buffer): void {
    this.#text += chunk.toString("utf8"); // A character torn between two chunks spoils a letter of a log line, no more.
    if (this.#text.length > tailCharsMax) this.#text = this.#text.slice(-tailCharsMax);
  }

  /** The last lines that may tell why, on one line; a fixed phrase when there are none. */
  lastWords(): string {
    const lines = this.#text.split("\n").map((line) => line.trim());
    const telling = lines.filter((line) => line !== "" && !noise.test(line)).slice(-wordsLinesMax);
    return telling.length === 0 ? "it said nothing on stderr" : telling.join(" | ").slice(-wordsCharsMax);
  }
}
