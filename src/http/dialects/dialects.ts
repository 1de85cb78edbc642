import type { Dialect } from './dialect.ts';
import { createDocumentedDialect } from './documented/documented-dialect.ts';
import { createLinotpDialect } from './linotp-dialect.ts';

/** Every dialect, by its name in WIRE_DIALECT. */
const DIALECTS = {
  documented: createDocumentedDialect,
  linotp: createLinotpDialect,
} as const satisfies Record<string, (version: string | undefined) => Dialect>;

export type DialectName = keyof typeof DIALECTS;

/** @param version the version in answers; undefined: that of the dialect */
export function createDialect(name: DialectName, version: string | undefined): Dialect {
  return DIALECTS[name](version);
}
