/** A row of the source as it is to be stored; without a value it is left. */
export interface Mapped<Value> {
  readonly name: string;
  /** The place of the row in the source. */
  readonly row: string;
  readonly value: Value | undefined;
  /** What is changed, or why it is left. Never a secret. */
  readonly reasons: readonly string[];
  /** What is unusual and yet stored as it was. */
  readonly remarks?: readonly string[];
}
