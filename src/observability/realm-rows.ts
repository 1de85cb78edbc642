import type { InstallationState } from '../monitoring/installation-state.ts';
import { NO_REALM } from '../monitoring/realm-choice.ts';

/** The most realms with series of their own. */
const MAX_REALMS = 100;
/** The label of the other realms together. No realm has this name, as a name has no parentheses. */
const OTHER_REALMS = '(other)';

/** The tokens of a realm. */
export interface RealmRow {
  readonly realm: string;
  readonly tokens: number;
  readonly locked: number;
}

/**
 * @returns rows of the hundred realms with most tokens, of the tokens in no realm, and of the sum of the other realms if
 *   there are more
 */
export function realmRows({
  counts,
  lockedTokens,
  realms,
}: Pick<InstallationState, 'counts' | 'lockedTokens' | 'realms'>): readonly RealmRow[] {
  const tokens = sums(counts.tokens);
  const locked = sums(lockedTokens);
  const rowOf = (realm: string): RealmRow => ({
    realm,
    tokens: tokens.get(realm) ?? 0,
    locked: locked.get(realm) ?? 0,
  });
  const rows = realms.map(rowOf).sort((one, other) => other.tokens - one.tokens);
  const rest = rows.slice(MAX_REALMS);
  const others = rest.reduce(
    (total, row) => ({ ...total, tokens: total.tokens + row.tokens, locked: total.locked + row.locked }),
    { realm: OTHER_REALMS, tokens: 0, locked: 0 },
  );
  return [...rows.slice(0, MAX_REALMS), rowOf(NO_REALM), ...(rest.length > 0 ? [others] : [])];
}

/** The label `realm` of a series; a quotation mark in a value is escaped. */
const REALM_LABEL = /^(\w+)\{(?:[^"]*"(?:[^"\\]|\\.)*",)*realm="((?:[^"\\]|\\.)*)"[,}]/;

/**
 * @param text metrics in Prometheus' text format
 * @returns the series of these realms, with their descriptions; none that is of several realms or of none
 */
export function seriesOfRealms(text: string, realms: readonly string[]): string {
  const lines = text.split('\n');
  const kept = new Map<string, string[]>();
  for (const line of lines) {
    const [, metric = '', realm = ''] = REALM_LABEL.exec(line) ?? [];
    if (realms.includes(realm)) {
      kept.set(metric, [...(kept.get(metric) ?? []), line]);
    }
  }
  return [...kept]
    .flatMap(([metric, series]) => [
      ...lines.filter((line) => line.startsWith(`# HELP ${metric} `) || line.startsWith(`# TYPE ${metric} `)),
      ...series,
    ])
    .map((line) => `${line}\n`)
    .join('');
}

function sums(
  rows: readonly { readonly realms: readonly string[]; readonly tokens: number }[],
): ReadonlyMap<string, number> {
  const found = new Map<string, number>();
  for (const { realms, tokens } of rows) {
    for (const realm of realms.length === 0 ? [NO_REALM] : realms) {
      found.set(realm, (found.get(realm) ?? 0) + tokens);
    }
  }
  return found;
}
