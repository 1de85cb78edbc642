import type { ValueOf } from '../../api/call.ts';
import { mayOnToken, type Rights } from '../token-state.ts';

/** A token of a list. */
export type ListedToken = ValueOf<'/admin/token/list'>['tokens'][number];

/** The acts on many tokens, by the names of their rights and endpoints. */
export const BULK_ACTS = ['enable', 'disable', 'reset', 'unassign', 'tokenrealm'] as const;
export type BulkAct = (typeof BULK_ACTS)[number];

/** True for an act that takes tokens from people. */
export function isDangerous(act: BulkAct): boolean {
  return act === 'disable' || act === 'unassign';
}

/** What an act on tokens would do. */
export interface Foresight {
  /** The tokens that it changes. */
  readonly serials: readonly string[];
  /** The number of those that are so already. */
  readonly unchanged: number;
  /** The number of those whose roll-out has given them no key yet: they cannot be enabled. */
  readonly unready: number;
  /** The number of those that were reported lost: they are enabled one by one, by who says that they were found again. */
  readonly lost: number;
  /** The number of those that the caller has no right to. */
  readonly forbidden: number;
  /** The second factors of administrators among those that it changes. */
  readonly secondFactors: readonly string[];
  /** The number of their challenges that are open; null: the caller may not know it of all. */
  readonly open: number | null;
  /** The number of their owners. */
  readonly owners: number;
  /** The number of those that leave another realm. */
  readonly leaving: number;
}

type Fate = 'changed' | 'unchanged' | 'unready' | 'lost' | 'forbidden';

/** @param realm into which they are put, of `tokenrealm` */
export function foresee(
  act: BulkAct,
  tokens: readonly ListedToken[],
  rights: Rights,
  realm: string,
): Foresight {
  const fates = tokens.map((token) => [fateOf(act, token, rights, realm), token] as const);
  const of = (fate: Fate): readonly ListedToken[] =>
    fates.filter(([one]) => one === fate).map(([, token]) => token);
  const changed = of('changed');
  const open = changed.map(({ open_challenges: number }) => number);
  return {
    serials: changed.map(({ serial }) => serial),
    unchanged: of('unchanged').length,
    unready: of('unready').length,
    lost: of('lost').length,
    forbidden: of('forbidden').length,
    secondFactors: changed.filter((token) => token.is_second_factor).map(({ serial }) => serial),
    open: open.includes(null) ? null : open.reduce<number>((sum, number) => sum + (number ?? 0), 0),
    owners: new Set(
      changed.flatMap(({ owner }) => (owner === null ? [] : [`${owner.resolver} ${owner.login}`])),
    ).size,
    leaving: changed.filter(({ realms }) => realms.some((name) => name !== realm)).length,
  };
}

function fateOf(act: BulkAct, token: ListedToken, rights: Rights, realm: string): Fate {
  if (!mayOnToken(rights, act, token)) {
    return 'forbidden';
  }
  if (act === 'enable' && token.rollout === 'phase1') {
    return 'unready';
  }
  if (act === 'enable' && token.lost_at !== null) {
    return 'lost';
  }
  return isSo(act, token, realm) ? 'unchanged' : 'changed';
}

function isSo(act: BulkAct, token: ListedToken, realm: string): boolean {
  switch (act) {
    case 'enable':
      return token.active;
    case 'disable':
      return !token.active;
    case 'reset':
      return token.fail_count === 0;
    case 'unassign':
      return token.owner === null;
    case 'tokenrealm':
      return token.realms.length === 1 && token.realms[0] === realm;
  }
}
