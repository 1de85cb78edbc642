import { plainName } from '../kernel/text.ts';
import type { ConfigTable } from './config-table.ts';
import type { Mapped } from './mapped.ts';
import { resolverNameOf } from './resolver-mapping.ts';
import { type SourceRow, textOf, wholeOf } from './linotp-source.ts';
import type { TextRepair } from './text-repair.ts';

export interface ImportedRealm {
  readonly name: string;
  /** Names of resolvers, in the order in which they are searched. */
  readonly resolvers: readonly string[];
  readonly isDefault: boolean;
}

const GROUP = 'linotp.useridresolver.group.';

/** @returns true for a key of Config that belongs to a realm */
export function isRealmKey(key: string): boolean {
  return key.startsWith(GROUP) || key === 'linotp.DefaultRealm';
}

/**
 * Realms are in a table, which has their ids, and in Config, which has their resolvers; each may miss one.
 * @param known names of the resolvers that are imported
 */
export function mapRealms(
  config: ConfigTable,
  table: ReadonlyMap<number, string>,
  known: ReadonlySet<string>,
): readonly Mapped<ImportedRealm>[] {
  const configured = [...config.keys()]
    .filter((key) => key.startsWith(GROUP))
    .map((key) => key.slice(GROUP.length).toLowerCase());
  const names = [...new Set([...table.values(), ...configured])].filter((name) => name !== '').sort();
  const chosen = (config.get('linotp.DefaultRealm')?.value ?? '').trim().toLowerCase();
  return names.map((name) => mapRealm(name, config, known, name === chosen));
}

function mapRealm(
  name: string,
  config: ConfigTable,
  known: ReadonlySet<string>,
  isDefault: boolean,
): Mapped<ImportedRealm> {
  const entry = [...config.values()].find(({ key }) => key.toLowerCase() === GROUP + name);
  const classes = (entry?.value ?? '').split(',').filter((one) => one.trim() !== '');
  const reasons = entry === undefined ? ['Config names no resolvers for it'] : [];
  const resolvers: string[] = [];
  for (const one of classes) {
    const resolver = resolverNameOf(one);
    if (resolver === undefined || !known.has(resolver)) {
      reasons.push(`its resolver ${resolver ?? one.trim()} is not imported, and left out`);
    } else {
      resolvers.push(resolver);
    }
  }
  const remarks = plainName(name) === name ? [] : ['its name, which could be taken for another one, is kept'];
  return { name, row: `Config ${GROUP}${name}`, value: { name, resolvers, isDefault }, reasons, remarks };
}

/** @returns the names of the realms by their ids, in lower case */
export function readRealmTable(rows: readonly SourceRow[], repair: TextRepair): ReadonlyMap<number, string> {
  return new Map(
    rows.map((row) => [wholeOf(row, 'id') ?? 0, repair(textOf(row, 'name')).trim().toLowerCase()]),
  );
}
