import type { ReactNode } from "react";
import type { Order } from "../lib/ordering";
import "./rows.css";

interface Props {
  column: string;
  order: Order | null;
  className?: string | undefined;
  onPress: (column: string) => void;
  children: ReactNode;
}

/** The head of a column by which rows can be put in order, and whether they are. */
export function ColumnHead({ column, order, className, onPress, children }: Props) {
  const mine = order?.column === column ? order : null;
  const sort = mine ? (mine.descending ? "descending" : "ascending") : "none";
  return (
    <th scope="col" aria-sort={sort} className={className}>
      <button type="button" className="column-head" onClick={() => onPress(column)}>
        {children}
        <span aria-hidden="true" className="column-arrow">
          {mine ? (mine.descending ? "↓" : "↑") : ""}
        </span>
      </button>
    </th>
  );
}
