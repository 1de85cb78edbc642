import type { Dialect } from './dialect.ts';
import { createDocumentedDialect } from './documented.ts';

/** Every dialect there is, by the name that WIRE_DIALECT gives it. */
const DIALECTS = { documented: createDocumentedDialect } as const satisfies Record<
  string,
  (version: string) => Dialect
>;

export type DialectName = keyof typeof DIALECTS;

/** @param version what answers carry as their version */
export function createDialect(name: DialectName, version: string): Dialect {
  return DIALECTS[name](version);
}
