import type { ActiveUserRow, TokenCountRow } from './token-counts.ts';
import { NO_REALM } from './realm-choice.ts';

const NOWHERE: readonly string[] = [NO_REALM];

/** Adds up amounts by realm and by column, and once each over all realms. */
export class RealmTally {
  readonly #byRealm: ReadonlyMap<string, number[]>;
  readonly #overall: number[];

  /**
   * @param realms names of realms and perhaps `NO_REALM`; amounts of others are left out
   * @param columns number of columns
   */
  constructor(realms: readonly string[], columns: number) {
    this.#overall = new Array<number>(columns).fill(0);
    this.#byRealm = new Map(realms.map((realm) => [realm, [...this.#overall]]));
  }

  /**
   * Adds the amount to each of these places that is in the tally, and once to the whole if any is. Avoids arrays, as it
   * runs for every row of counts at every request.
   */
  add(places: readonly string[], column: number, amount: number): void {
    let takesPart = false;
    for (const place of places) {
      const sums = this.#byRealm.get(place);
      if (sums !== undefined) {
        takesPart = true;
        addTo(sums, column, amount);
      }
    }
    if (takesPart) {
      addTo(this.#overall, column, amount);
    }
  }

  /** @returns the sum of one realm; 0 for a realm that is not in the tally */
  of(realm: string, column: number): number {
    return this.#byRealm.get(realm)?.[column] ?? 0;
  }

  /** @returns the sum over all realms, with amounts in several of them counted once */
  overall(column: number): number {
    return this.#overall[column] ?? 0;
  }
}

function addTo(sums: number[], column: number, amount: number): void {
  sums[column] = (sums[column] ?? 0) + amount;
}

/** @returns the places in which such tokens are counted: each of their realms, or `NO_REALM` */
export function placesOfTokens({ realms }: Pick<TokenCountRow, 'realms'>): readonly string[] {
  return realms.length === 0 ? NOWHERE : realms;
}

/** @returns the places in which such users are counted: those of their active tokens */
export function placesOfUsers({
  realms,
  inNoRealm,
}: Pick<ActiveUserRow, 'realms' | 'inNoRealm'>): readonly string[] {
  return inNoRealm ? [...realms, NO_REALM] : realms;
}
