/** In which order a table's rows stand: by a column, or (null) as they came. */
export interface Order {
  column: string;
  descending: boolean;
}

/** A column's head was pressed: upwards first, then downwards, then as the rows came. */
export function pressed(order: Order | null, column: string): Order | null {
  if (order?.column !== column) return { column, descending: false };
  return order.descending ? null : { column, descending: true };
}
