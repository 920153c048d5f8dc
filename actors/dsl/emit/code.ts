/** Writes lines of compiled code with their indentation. Deterministic. */

export class Code {
  readonly #lines: string[] = [];
  #depth = 0;

  /** Adds one statement. The lines of a long literal are indented too. */
  line(text: string): void {
    for (const one of text.split("\n"))
      this.#lines.push(one === "" ? "" : `${"  ".repeat(this.#depth)}${one}`);
  }

  block(head: string, body: () => void, tail = "}"): void {
    this.line(`${head} {`.trimStart());
    this.#depth += 1;
    body();
    this.#depth -= 1;
    this.line(tail);
  }

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
