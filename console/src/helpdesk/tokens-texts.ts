import type { Texts } from '../language/language.ts';

type StateFilter = 'active' | 'inactive' | 'locked';
type OwnerFilter = 'assigned' | 'unassigned';

interface TokensTexts {
  readonly title: string;
  readonly serial: string;
  readonly allRealms: string;
  readonly any: string;
  readonly states: Readonly<Record<StateFilter, string>>;
  readonly owners: Readonly<Record<OwnerFilter, string>>;
  readonly ownerName: string;
  readonly lastUse: string;
  readonly none: string;
  /** Without a filter. */
  readonly noneYet: string;
  readonly enrol: string;
  readonly notSorted: (column: string, most: number) => string;
  readonly back: string;
  readonly next: string;
  readonly total: (count: string) => string;
  readonly page: (number: string) => string;
}

export const tokensTexts: Texts<TokensTexts> = {
  en: {
    title: 'Tokens',
    serial: 'Beginning of the serial',
    allRealms: 'All',
    any: 'any',
    states: { active: 'active', inactive: 'disabled', locked: 'locked' },
    owners: { assigned: 'somebody', unassigned: 'nobody' },
    ownerName: 'Owner’s name',
    lastUse: 'Last use',
    none: 'No token matches.',
    noneYet: 'There is no token that you may see yet.',
    enrol: 'New token',
    notSorted: (column, most) =>
      `These are in the order of serials. Lists of at most ${most} tokens are sorted by “${column}”: narrow the filter.`,
    back: 'Previous page',
    next: 'Next page',
    total: (count) => `${count} in all`,
    page: (number) => `Page ${number}`,
  },
  de: {
    title: 'Token',
    serial: 'Anfang der Seriennummer',
    allRealms: 'Alle',
    any: 'beliebig',
    states: { active: 'aktiv', inactive: 'deaktiviert', locked: 'gesperrt' },
    owners: { assigned: 'jemand', unassigned: 'niemand' },
    ownerName: 'Name des Inhabers',
    lastUse: 'Letzte Nutzung',
    none: 'Kein Token passt.',
    noneYet: 'Es gibt noch kein Token, das Sie sehen dürfen.',
    enrol: 'Neues Token',
    notSorted: (column, most) =>
      `Sie stehen in der Reihenfolge der Seriennummern. Nach „${column}“ werden Listen von höchstens ${most} Token sortiert: Engen Sie den Filter ein.`,
    back: 'Vorige Seite',
    next: 'Nächste Seite',
    total: (count) => `${count} insgesamt`,
    page: (number) => `Seite ${number}`,
  },
};
