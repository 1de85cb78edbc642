import { z } from 'zod';
import { KeptReading } from '../kernel/bounded-work.ts';
import type { Clock } from '../kernel/clock.ts';
import { ServiceError } from '../kernel/errors.ts';
import { actOf, assertOperator, type Caller } from '../policy/caller.ts';
import type { CountedKey, KeyStore } from './key-store.ts';
import type { OpenedKeys } from './opened-keys.ts';
import type { Resealing } from './resealing-store.ts';
import { type KeyState, neededKeys, type NewKey, type Progress } from './vault.ts';

/** A key. Holds nothing of it but its id. */
export const KEY = z.object({
  keyId: z
    .string()
    .meta({ column: 'KEY', description: '16 hexadecimal digits, which tell nothing of the key' }),
  // The first of these that holds.
  state: z.enum(['unknown', 'retired', 'current', 'added', 'former', 'needed', 'unused']).meta({
    column: 'STATE',
    description:
      'current: it seals; added: it has never sealed; needed, unused: it sealed, and secrets are sealed with it or not; ' +
      'former: one of both, which only a count tells; unknown: secrets are sealed with it, but it is not registered',
  }),
  createdAt: z.date().optional().meta({ column: 'CREATED' }),
  currentSince: z
    .date()
    .optional()
    .meta({ column: 'FIRST USED', description: 'absent: it has never sealed' }),
  retiredAt: z.date().optional().meta({ column: 'RETIRED' }),
  secrets: z
    .int()
    .nonnegative()
    .optional()
    .meta({ column: 'SECRETS', description: 'the number of secrets sealed with it; absent: not counted' }),
});

type PublishedKey = z.output<typeof KEY>;

export interface ListedKey extends KeyState {
  readonly state: PublishedKey['state'];
  /** Undefined: not counted. */
  readonly secrets?: PublishedKey['secrets'];
}

interface AddedKey extends Pick<NewKey, 'keyId'> {
  /** False if it was there already. */
  readonly isMade: boolean;
  /** A description of its storage. */
  readonly place: string;
}

/** The result of a rotation. */
export interface Rotation extends Resealing {
  readonly keyId: string;
  /**
   * True if the key became current just now; false if an interrupted rotation was continued, or nothing was left to do.
   */
  readonly isNew: boolean;
}

/** Milliseconds for which a count is shown again: it reads all tokens. */
const COUNT_LASTS_MS = 10_000;

/**
 * The keys that seal. Administrators see them; they are changed at the machine only, by its operator. A new key is a line
 * in a file on one machine, which the operator must copy to the others; a rotation runs for minutes, beyond any request;
 * and a retired key that is lost makes backups useless. None of this can an administrator do through the network, and a
 * stolen session could lock servers out.
 */
export class KeyService {
  readonly #deps;
  readonly #counted: KeptReading<readonly CountedKey[]>;

  constructor(dependencies: {
    readonly keys: KeyStore;
    readonly opened: Pick<OpenedKeys, 'source' | 'vault'>;
    readonly clock: Clock;
  }) {
    const { keys, clock } = dependencies;
    this.#deps = dependencies;
    this.#counted = new KeptReading({
      read: () => keys.counted(),
      keptMs: COUNT_LASTS_MS,
      elapsed: () => clock.now().getTime(),
    });
  }

  /** @param isCounted counts the secrets of each key; takes seconds with a million tokens */
  async list(isCounted: boolean): Promise<readonly ListedKey[]> {
    const keys = isCounted ? await this.#counted.current() : await this.#deps.keys.entries();
    return keys.map((key) => ({ ...key, state: stateOf(key) }));
  }

  /**
   * Makes a key and registers it: every server that starts from now on needs it, running servers read it at SIGHUP. It
   * does not seal yet.
   * @throws ServiceError 'right.missing' for a caller who is no operator; 'key.refused' while an earlier added key has
   *   not been used; 'key.unavailable', 'security-module.unavailable'
   */
  async add(caller: Caller): Promise<AddedKey> {
    assertOperator(caller, 'Keys are changed');
    const { keys, opened } = this.#deps;
    const { source } = opened;
    const { keyId, isMade } = await keys.add((known) => source.provide(known), actOf(caller, 'key/add'));
    return { keyId, isMade, place: source.place };
  }

  /**
   * Lets the newest key seal from now on, and seals all secrets anew with it. May be interrupted and repeated. A server
   * that has not read the key cannot open them.
   * @throws ServiceError 'right.missing'; 'key.unavailable' when this process has not read the key
   */
  async rotate(caller: Caller, progress: Progress = () => undefined): Promise<Rotation> {
    assertOperator(caller, 'Keys are changed');
    const { keys, opened } = this.#deps;
    const keyId = neededKeys(await keys.registered()).at(-1)?.keyId ?? '';
    if (!opened.vault.keyIds.includes(keyId)) {
      throw new ServiceError('key.unavailable', `The encryption key ${keyId} is not loaded here`);
    }
    const isNew = await keys.makeCurrent(keyId, actOf(caller, 'key/rotate'));
    opened.vault.load([], keyId);
    const resealing = await keys.reseal(opened.vault, progress, actOf(caller, 'key/rotate'));
    return { keyId, isNew, ...resealing };
  }

  /**
   * Retires a key that seals no secret any more: none can be stored that is sealed with it, not by a server either that
   * still does. Its line in the key file stays.
   * @returns false if it was retired before
   * @throws ServiceError 'right.missing'; 'key.refused' when it is still needed
   */
  retire(caller: Caller, keyId: string): Promise<boolean> {
    assertOperator(caller, 'Keys are changed');
    return this.#deps.keys.retire(keyId, actOf(caller, 'key/retire'));
  }
}

function stateOf({
  createdAt: addedAt,
  isCurrent,
  currentSince,
  retiredAt,
  secrets,
}: KeyState & Pick<ListedKey, 'secrets'>): ListedKey['state'] {
  if (addedAt === undefined) {
    return 'unknown';
  }
  if (retiredAt !== undefined) {
    return 'retired';
  }
  if (isCurrent || currentSince === undefined) {
    return isCurrent ? 'current' : 'added';
  }
  return secrets === undefined ? 'former' : secrets > 0 ? 'needed' : 'unused';
}
