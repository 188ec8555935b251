/** The agent's state as a page sees it: one cell a key, shared by all components that use it. */

export interface Cell {
  /** What to show: what the page last wrote, until the agent's state has it. */
  value: unknown;
  /** False: the state has no such key. */
  present: boolean;
  /** False until the first word from the shell. */
  loaded: boolean;
}

export interface StatePorts {
  watch(key: string, listener: (value: unknown, present: boolean) => void): void;
  write(key: string, value: unknown): Promise<unknown>;
  /** A write that was refused: nobody waits for it. */
  failed(error: unknown): void;
}

const EMPTY: Cell = { value: undefined, present: false, loaded: false };

export class StateCells {
  private readonly cells = new Map<string, Cell>();
  /** The newest word from the shell, while writes are on their way. */
  private readonly stored = new Map<string, Cell>();
  private readonly writing = new Map<string, number>();
  private readonly listeners = new Map<string, Set<() => void>>();

  constructor(private readonly ports: StatePorts) {}

  read(key: string): Cell {
    return this.cells.get(key) ?? EMPTY;
  }

  subscribe(key: string, listener: () => void): () => void {
    let listeners = this.listeners.get(key);
    if (!listeners) {
      listeners = new Set();
      this.listeners.set(key, listeners);
      this.ports.watch(key, (value, present) => this.told(key, { value, present, loaded: true }));
    }
    listeners.add(listener);
    return () => listeners.delete(listener);
  }

  /** Show it at once, and have it stored. What is refused is shown no longer, and reported. */
  write(key: string, value: unknown): void {
    this.show(key, { value, present: true, loaded: true });
    this.writing.set(key, (this.writing.get(key) ?? 0) + 1);
    this.ports
      .write(key, value)
      .catch((error: unknown) => this.ports.failed(error))
      .finally(() => {
        const left = (this.writing.get(key) ?? 1) - 1;
        this.writing.set(key, left);
        const stored = this.stored.get(key);
        if (left === 0) this.show(key, stored ?? EMPTY);
      });
  }

  private told(key: string, cell: Cell): void {
    this.stored.set(key, cell);
    if (!this.writing.get(key)) this.show(key, cell);
  }

  private show(key: string, cell: Cell): void {
    const before = this.cells.get(key);
    if (before && before.present === cell.present && before.loaded && same(before.value, cell.value)) return;
    this.cells.set(key, cell);
    for (const listener of this.listeners.get(key) ?? []) listener();
  }
}

/** An equal value keeps its identity: what depends on it is not drawn again. */
function same(one: unknown, other: unknown): boolean {
  return Object.is(one, other) || JSON.stringify(one) === JSON.stringify(other);
}
