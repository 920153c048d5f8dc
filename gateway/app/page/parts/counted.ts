/** A count with its noun: `1 row`, `10,000 rows`. */

export function counted(count: number, one: string, many = `${one}s`): string {
  return `${count.toLocaleString()} ${count === 1 ? one : many}`;
}
