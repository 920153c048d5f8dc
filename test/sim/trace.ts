/** What happened: the last lines for finding a cause, and a digest for comparing simulations. */
import type { Timeline } from "./timeline.ts";

const keptMax = 400;

export class Trace {
  readonly lines: string[] = [];
  count = 0;
  #digest = 0x811c9dc5;
  readonly #timeline: () => Timeline;

  constructor(timeline: () => Timeline) {
    this.#timeline = timeline;
  }

  note(what: string): void {
    const { now, life } = this.#timeline();
    const line = `${now.toFixed(1).padStart(10)} ${life.name.padEnd(9)} ${what}`;
    this.count += 1;
    this.lines.push(line);
    if (this.lines.length > keptMax) this.lines.shift();
    for (let at = 0; at < line.length; at += 1)
      this.#digest = Math.imul(this.#digest ^ line.charCodeAt(at), 0x01000193);
  }

  get digest(): string {
    return (this.#digest >>> 0).toString(16);
  }
}
