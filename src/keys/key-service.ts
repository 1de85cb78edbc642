import { KeptReading } from '../kernel/bounded-work.ts';
import { ServiceError } from '../kernel/errors.ts';
import { actOf, assertOperator, type Caller } from '../policy/caller.ts';
import type { KeyStore } from './key-store.ts';
import type { LiveVault } from './live-vault.ts';
import type { KeyHolder, KeySource, KeyState, NewKey, Progress, RegisteredKey, Resealing } from './vault.ts';
import type { Clock } from '../kernel/clock.ts';

interface KeyDependencies {
  readonly keys: KeyStore;
  readonly source: Pick<KeySource, 'place' | 'provide' | 'remove'>;
  readonly vault: Pick<LiveVault, 'currentKeyId' | 'keyIds' | 'refresh' | 'seal' | 'open'>;
  /** @param milliseconds the waiting time */
  readonly pause: (milliseconds: number) => Promise<unknown>;
}

/** All keys, and the running servers. */
export interface KeyListing {
  readonly keys: readonly KeyState[];
  readonly servers: readonly KeyHolder[];
}

interface AddedKey extends Pick<NewKey, 'keyId' | 'isMade'> {
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
  /** Servers that still sealed with another key when the resealing began. */
  readonly lagging: readonly string[];
}

/** Maximum time that a rotation waits for every server to seal with the new key. */
const TIMEOUT_MS = 10_000;
const POLL_MS = 250;

/** Changes the sealing key while servers run. For operators at the machine. */
export class KeyService {
  readonly #deps: KeyDependencies;

  constructor(dependencies: KeyDependencies) {
    this.#deps = dependencies;
  }

  /** @throws ServiceError 'right.missing' for a caller who is no operator, as all of these methods do */
  async list(caller: Caller): Promise<KeyListing> {
    assertOperator(caller, 'Keys are changed');
    const { keys } = this.#deps;
    return { keys: await keys.states(), servers: await keys.holders() };
  }

  /**
   * Makes a key and registers it: every server that starts from now on needs it, running servers load it. It does not
   * seal yet.
   * @throws ServiceError 'key.refused' while an earlier added key has not been used; 'key.unavailable',
   *   'security-module.unavailable'
   */
  async add(caller: Caller): Promise<AddedKey> {
    assertOperator(caller, 'Keys are changed');
    const { keys, source } = this.#deps;
    const provide = async (registered: readonly RegisteredKey[]): Promise<NewKey> => {
      assertNoneWaits(registered);
      return source.provide(registered);
    };
    const { keyId, isMade } = await keys.add(provide, actOf(caller, 'keys/add'));
    return { keyId, isMade, place: source.place };
  }

  /**
   * Makes the key that was added last the current one and seals all secrets anew with it. May be interrupted and
   * repeated; where the key is current already, it continues with the rest.
   * @param force rotates even while a running server lacks the key: that server cannot read new secrets
   * @throws ServiceError 'key.refused' when a running server lacks the key, 'key.unavailable' when this process does
   */
  async rotate(
    caller: Caller,
    { force, keyId: requested }: { readonly force: boolean; readonly keyId?: string | undefined },
    progress: Progress = () => undefined,
  ): Promise<Rotation> {
    assertOperator(caller, 'Keys are changed');
    const { keys, vault } = this.#deps;
    const states = await keys.states();
    const keyId =
      requested ?? waitingKey(states)?.keyId ?? states.find(({ isCurrent }) => isCurrent)?.keyId ?? '';
    await this.#assertEverywhere(keyId, force);
    const isNew = await keys.makeCurrent(keyId, actOf(caller, 'keys/rotate'));
    await vault.refresh();
    if (vault.currentKeyId !== keyId) {
      throw new ServiceError('key.unavailable', `The encryption key ${keyId} is not loaded`);
    }
    const lagging = await this.#awaitServers(keyId);
    const resealing = await keys.reseal(vault, progress, actOf(caller, 'keys/rotate'));
    return { keyId, isNew, lagging, ...resealing };
  }

  /**
   * Retires a key that seals no secret any more.
   * @returns `isNew` if it was retired now, `isRemoved` if it was removed from the key file
   * @throws ServiceError 'key.refused' when it is still needed
   */
  async retire(
    caller: Caller,
    keyId: string,
    { removeFromFile }: { readonly removeFromFile: boolean },
  ): Promise<{ readonly isNew: boolean; readonly isRemoved: boolean }> {
    assertOperator(caller, 'Keys are changed');
    const { keys, source } = this.#deps;
    const behind = (await keys.holders()).filter(({ sealingKey }) => sealingKey === keyId);
    if (behind.length > 0) {
      throw new ServiceError('key.refused', `The key ${keyId} still seals on ${placesOf(behind)}`);
    }
    const isNew = await keys.retire(keyId, actOf(caller, 'keys/retire'));
    const isRemoved = removeFromFile && (await source.remove(keyId));
    return { isNew, isRemoved };
  }

  async #assertEverywhere(keyId: string, force: boolean): Promise<void> {
    const { source, vault } = this.#deps;
    if (!vault.keyIds.includes(keyId)) {
      throw new ServiceError('key.unavailable', `The encryption key ${keyId} is not loaded here`);
    }
    // A server without the key may be about to load it.
    const lacking = await this.#awaitHolders(({ keyIds }) => keyIds.includes(keyId), force ? 0 : TIMEOUT_MS);
    if (lacking.length > 0 && !force) {
      throw new ServiceError(
        'key.refused',
        `The key ${keyId} is not there yet on ${placesOf(lacking)}: bring ${source.place} there, which ` +
          'is read by itself, or stop that server. Nothing was changed',
      );
    }
  }

  async #awaitServers(keyId: string): Promise<readonly string[]> {
    // With `force`, a server without the key never seals with it: waiting for it is useless.
    await this.#awaitHolders(
      ({ keyIds, sealingKey }) => sealingKey === keyId || !keyIds.includes(keyId),
      TIMEOUT_MS,
    );
    const holders = await this.#deps.keys.holders();
    return holders.filter(({ sealingKey }) => sealingKey !== keyId).map(({ place }) => place);
  }

  /** @returns the servers that are not ready after the time limit */
  async #awaitHolders(
    isReady: (holder: KeyHolder) => boolean,
    timeoutMs: number,
  ): Promise<readonly KeyHolder[]> {
    for (let waited = 0; ; waited += POLL_MS) {
      const behind = (await this.#deps.keys.holders()).filter((holder) => !isReady(holder));
      if (behind.length === 0 || waited >= timeoutMs) {
        return behind;
      }
      await this.#deps.pause(POLL_MS);
    }
  }
}

/** Checks the registered keys, under the lock of the registration. */
function assertNoneWaits(registered: readonly RegisteredKey[]): void {
  const waiting = registered.findLast(({ isWaiting }) => isWaiting === true);
  if (waiting !== undefined) {
    throw new ServiceError(
      'key.refused',
      `The key ${waiting.keyId} was added and has never been used: let it be the current one (keys rotate) first`,
    );
  }
}

/** Finds the key that was added last and has never sealed. */
function waitingKey(states: readonly KeyState[]): KeyState | undefined {
  return states.findLast(
    ({ addedAt, currentSince, retiredAt }) =>
      addedAt !== undefined && currentSince === undefined && retiredAt === undefined,
  );
}

function placesOf(holders: readonly KeyHolder[]): string {
  return holders.map(({ place }) => place).join(', ');
}

/** A key whose secrets are not counted, or are. */
type ShownKey = Omit<KeyState, 'secrets'> & { readonly secrets?: number };

/** The keys, and the running servers. Holds nothing of a key but its id. */
export interface KeyUseReport {
  readonly keys: readonly ShownKey[];
  readonly servers: readonly KeyHolder[];
  /** The time at which the secrets were counted; undefined: they were not. */
  readonly countedAt: Date | undefined;
}

interface KeyUseDependencies {
  readonly keys: Pick<KeyStore, 'entries' | 'states' | 'holders'>;
  readonly clock: Clock;
}

interface Count {
  readonly keys: readonly KeyState[];
  readonly at: Date;
}

/** Milliseconds for which a count is shown again: it reads all tokens. */
const COUNT_LASTS_MS = 10_000;

/**
 * The state of the keys for administrators.
 *
 * Keys are changed at the machine only, by `KeyService`. A new key is a line in a file on one machine, which the
 * operator must copy to the others before a server there starts again; a rotation runs for minutes, beyond any request;
 * and a retired key that is lost makes backups useless. None of this can an administrator do through the network, and a
 * stolen session could lock servers out.
 */
export class KeyUse {
  readonly #keys: KeyUseDependencies['keys'];
  readonly #count: KeptReading<Count>;

  constructor({ keys, clock }: KeyUseDependencies) {
    this.#keys = keys;
    this.#count = new KeptReading({
      read: async () => ({ keys: await keys.states(), at: clock.now() }),
      keptMs: COUNT_LASTS_MS,
      elapsed: () => clock.now().getTime(),
    });
  }

  /** @param isCounted counts the secrets of each key; takes seconds with a million tokens */
  async show(isCounted: boolean): Promise<KeyUseReport> {
    const servers = await this.#keys.holders();
    if (!isCounted) {
      return { keys: await this.#keys.entries(), servers, countedAt: undefined };
    }
    const { keys, at } = await this.#count.current();
    return { keys, servers, countedAt: at };
  }
}
