/** The lines of the compiled code, indented as they are written: the same input gives the same bytes. */

export class Code {
  readonly #lines: string[] = [];
  #depth = 0;

  /** One statement; the lines of a long literal keep their own indentation. */
  line(text: string): void {
    for (const one of text.split("\n"))
      this.#lines.push(one === "" ? "" : `${"  ".repeat(this.#depth)}${one}`);
  }

  /** `head {`, what `body` writes, and `tail`. */
  block(head: string, body: () => void, tail = "}"): void {
    this.line(`${head} {`.trimStart());
    this.#depth += 1;
    body();
    this.#depth -= 1;
    this.line(tail);
  }

  /** `} else {` and the like: closes one block and opens the next. */
  turn(head: string, body: () => void): void {
    const last = this.#lines.pop();
    this.line(`${last?.trim() ?? "}"} ${head} {`);
    this.#depth += 1;
    body();
    this.#depth -= 1;
    this.line("}");
  }

  text(): string {
    return `${this.#lines.join("\n")}\n`;
  }
}
