/** A row of the source in the form in which it is stored; without a value it is left. */
export interface Mapped<Value> {
  readonly name: string;
  /** The place of the row in the source. */
  readonly row: string;
  readonly value: Value | undefined;
  /** The change, or the reason why it is left. Never a secret. */
  readonly reasons: readonly string[];
  /** The facts that are unusual and yet stored as they were. */
  readonly remarks?: readonly string[];
}
