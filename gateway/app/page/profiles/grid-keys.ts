/** The row that a key moves to from row `at`; null for a key that does not move. Pure. */
export function step(key: string, at: number, page: number, count: number): number | null {
  if (count === 0) return null;
  const within = (row: number) => Math.max(0, Math.min(count - 1, row));
  switch (key) {
    case "ArrowDown":
      return within(at + 1);
    case "ArrowUp":
      return within(at - 1);
    case "PageDown":
      return within(at + page);
    case "PageUp":
      return within(at - page);
    case "Home":
      return 0;
    case "End":
      return count - 1;
    default:
      return null;
  }
}
