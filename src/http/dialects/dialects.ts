import type { Dialect } from './dialect.ts';
import { createDocumentedDialect } from './documented/documented-dialect.ts';
import { createLinotpDialect } from './linotp-dialect.ts';

/** Every dialect there is, by the name that WIRE_DIALECT gives it. */
const DIALECTS = {
  documented: createDocumentedDialect,
  linotp: createLinotpDialect,
} as const satisfies Record<string, (version: string | undefined) => Dialect>;

export type DialectName = keyof typeof DIALECTS;

/** @param version what answers carry as their version; undefined: what the dialect says by itself */
export function createDialect(name: DialectName, version: string | undefined): Dialect {
  return DIALECTS[name](version);
}
