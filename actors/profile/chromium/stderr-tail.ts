/** The end of a browser's stderr, for error messages. */

const tailCharsMax = 8 * 1024;
const wordsLinesMax = 4;
const wordsCharsMax = 600;
/** Lines that Chromium always prints on a machine without a desktop. */
const noise = /dbus|DevTools listening|gcm\/engine|vaapi|unexpected operator/i;

export class StderrTail {
  #text = "";

  add(chunk: Buffer): void {
    this.#text += chunk.toString("utf8"); // Splitting a character over two chunks only garbles a letter of a log line.
    if (this.#text.length > tailCharsMax) this.#text = this.#text.slice(-tailCharsMax);
  }

  /** The last relevant lines, joined; a fixed phrase when there are none. */
  lastWords(): string {
    const lines = this.#text.split("\n").map((line) => line.trim());
    const telling = lines.filter((line) => line !== "" && !noise.test(line)).slice(-wordsLinesMax);
    return telling.length === 0 ? "no output on stderr" : telling.join(" | ").slice(-wordsCharsMax);
  }
}
