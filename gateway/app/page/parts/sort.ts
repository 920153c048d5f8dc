/** The order of a table's rows, by the column that the user clicks. */
import { useMemo, useState } from "preact/hooks";
import type { Head } from "./table.tsx";

/** Null sorts last. */
type SortKey = string | number | null;

export interface Column<Row> {
  head: string;
  number?: true;
  /** Absent: the column does not sort. */
  key?(row: Row): SortKey;
}

interface Order {
  at: number;
  descending: boolean;
}

/** `columns` are the same at each call. Before the first click the rows are as given. */
export function useSort<Row>(rows: readonly Row[], columns: readonly Column<Row>[]) {
  const [order, setOrder] = useState<Order | null>(null);
  const sorted = useMemo(() => {
    const key = order === null ? undefined : columns[order.at]?.key;
    if (order === null || key === undefined) return rows;
    return [...rows].sort((one, other) => compared(key(one), key(other), order.descending));
  }, [rows, columns, order]);
  const heads = columns.map(({ head, number = false, key }, at): Head => {
    if (key === undefined) return { text: head, number };
    const shown = order?.at === at ? order : null;
    return {
      text: head,
      number,
      sort: {
        direction: shown === null ? "none" : shown.descending ? "descending" : "ascending",
        // Of numbers, the largest are looked for first.
        onSort: () => setOrder({ at, descending: shown === null ? number : !shown.descending }),
      },
    };
  });
  return { sorted, heads };
}

const texts = new Intl.Collator(undefined, { numeric: true, sensitivity: "base" });

function compared(one: SortKey, other: SortKey, descending: boolean): number {
  if (one === null || other === null) return Number(one === null) - Number(other === null);
  const both =
    typeof one === "number" && typeof other === "number"
      ? one - other
      : texts.compare(String(one), String(other));
  return descending ? -both : both;
}
