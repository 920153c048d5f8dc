/** A suite's progress as a line on the terminal; no output elsewhere. */

const barCells = 24;

export function barLine(what: string, done: number, total: number, width: number): string {
  const cells = Math.round((Math.min(done, total) / Math.max(1, total)) * barCells);
  return `${"█".repeat(cells)}${"░".repeat(barCells - cells)} ${done}/${total} ${what}`.slice(0, width - 1);
}

export interface Bar {
  step(what?: string): void;
  end(): void;
}

/** Uses stderr, because stdout has the tables. */
export function openBar(what: string, total: number, stream: NodeJS.WriteStream = process.stderr): Bar {
  if (!stream.isTTY) return { step() {}, end() {} };
  let done = 0;
  const draw = (now: string) => stream.write(`\r\x1b[2K${barLine(now, done, total, stream.columns ?? 80)}`);
  draw(what);
  return {
    step(next = what) {
      done += 1;
      draw(next);
    },
    end: () => void stream.write("\r\x1b[2K"),
  };
}
