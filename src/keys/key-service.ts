import { ServiceError } from '../kernel/errors.ts';
import { actOf, type Caller } from '../policy/caller.ts';
import type {
  KeyAdministration,
  KeyHolder,
  KeyMaterial,
  KeyState,
  NewKey,
  Progress,
  Resealing,
  RotatingVault,
} from './key-administration.ts';
import type { RegisteredKey } from './vault.ts';

/** What the service works with. */
export interface KeyDependencies {
  readonly keys: KeyAdministration;
  readonly material: KeyMaterial;
  readonly vault: RotatingVault;
  /** @param milliseconds to wait */
  readonly pause: (milliseconds: number) => Promise<unknown>;
}

/** All keys, and the servers that run. */
export interface KeyListing {
  readonly keys: readonly KeyState[];
  readonly servers: readonly KeyHolder[];
}

/** What adding a key did. */
export interface AddedKey extends Pick<NewKey, 'keyId' | 'isMade'> {
  /** Where it is now, in words. */
  readonly place: string;
}

/** What a rotation did. */
export interface Rotation extends Resealing {
  readonly keyId: string;
  /** Whether it has become the current key just now; false: an interrupted rotation was taken up, or there was nothing to do. */
  readonly isNew: boolean;
  /** Servers that sealed with another key still when sealing anew began. */
  readonly lagging: readonly string[];
}

/** How long rotating waits for every server to seal with the new key. */
const TIMEOUT_MS = 10_000;
const LOOK_MS = 250;

/** Changes the key that seals the secrets, while servers run. For operators at the machine. */
export class KeyService {
  readonly #deps: KeyDependencies;

  constructor(dependencies: KeyDependencies) {
    this.#deps = dependencies;
  }

  /** @throws ServiceError 'right.missing' for anybody but an operator, as all of these */
  async list(caller: Caller): Promise<KeyListing> {
    assertOperator(caller);
    const { keys } = this.#deps;
    return { keys: await keys.states(), servers: await keys.holders() };
  }

  /**
   * Makes a key and registers it: every server that starts from now on needs it, those that run load it. It seals nothing
   * yet.
   * @throws ServiceError 'key.refused' while a key that was added waits for its turn; 'key.unavailable',
   *   'security-module.unavailable'
   */
  async add(caller: Caller): Promise<AddedKey> {
    assertOperator(caller);
    const { keys, material } = this.#deps;
    const provide = async (registered: readonly RegisteredKey[]): Promise<NewKey> => {
      assertNoneWaits(registered);
      return material.provide(registered);
    };
    const { keyId, isMade } = await keys.add(provide, actOf(caller, 'keys/add'));
    return { keyId, isMade, place: material.place };
  }

  /**
   * Lets the key that was added last be the current one and seals everything anew with it. May be interrupted and done
   * again; when the key is the current one already, it goes on with what is left.
   * @param force also while a server that runs has not got the key: that one cannot read new secrets
   * @throws ServiceError 'key.refused' when a server that runs lacks the key, 'key.unavailable' when this process does
   */
  async rotate(
    caller: Caller,
    { force, keyId: wanted }: { readonly force: boolean; readonly keyId?: string | undefined },
    progress: Progress = () => undefined,
  ): Promise<Rotation> {
    assertOperator(caller);
    const { keys, vault } = this.#deps;
    const states = await keys.states();
    const keyId =
      wanted ?? waitingKey(states)?.keyId ?? states.find(({ isCurrent }) => isCurrent)?.keyId ?? '';
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
   * Retires a key with which nothing is sealed any more.
   * @returns whether it was retired now, and whether it was taken out of the key file
   * @throws ServiceError 'key.refused' when it is still needed
   */
  async retire(
    caller: Caller,
    keyId: string,
    { removeFromFile }: { readonly removeFromFile: boolean },
  ): Promise<{ readonly isNew: boolean; readonly isRemoved: boolean }> {
    assertOperator(caller);
    const { keys, material } = this.#deps;
    const behind = (await keys.holders()).filter(({ sealingKey }) => sealingKey === keyId);
    if (behind.length > 0) {
      throw new ServiceError('key.refused', `The key ${keyId} still seals on ${placesOf(behind)}`);
    }
    const isNew = await keys.retire(keyId, actOf(caller, 'keys/retire'));
    const isRemoved = removeFromFile && (await material.remove(keyId));
    return { isNew, isRemoved };
  }

  async #assertEverywhere(keyId: string, force: boolean): Promise<void> {
    const { material, vault } = this.#deps;
    if (!vault.keyIds.includes(keyId)) {
      throw new ServiceError('key.unavailable', `The encryption key ${keyId} is not loaded here`);
    }
    // Who does not have it yet may be about to load it.
    const lacking = await this.#awaitHolders(({ keyIds }) => keyIds.includes(keyId), force ? 0 : TIMEOUT_MS);
    if (lacking.length > 0 && !force) {
      throw new ServiceError(
        'key.refused',
        `The key ${keyId} is not there yet on ${placesOf(lacking)}: bring ${material.place} there, which ` +
          'is read by itself, or stop that server. Nothing was changed',
      );
    }
  }

  async #awaitServers(keyId: string): Promise<readonly string[]> {
    // One that has not got the key, which was let be, will not seal with it however long it is waited for.
    await this.#awaitHolders(
      ({ keyIds, sealingKey }) => sealingKey === keyId || !keyIds.includes(keyId),
      TIMEOUT_MS,
    );
    const holders = await this.#deps.keys.holders();
    return holders.filter(({ sealingKey }) => sealingKey !== keyId).map(({ place }) => place);
  }

  /** @returns the servers that are not ready after all that time */
  async #awaitHolders(
    isReady: (holder: KeyHolder) => boolean,
    patience: number,
  ): Promise<readonly KeyHolder[]> {
    for (let waited = 0; ; waited += LOOK_MS) {
      const behind = (await this.#deps.keys.holders()).filter((holder) => !isReady(holder));
      if (behind.length === 0 || waited >= patience) {
        return behind;
      }
      await this.#deps.pause(LOOK_MS);
    }
  }
}

/** Of those that are registered while nobody else adds one. */
function assertNoneWaits(registered: readonly RegisteredKey[]): void {
  const waiting = registered.findLast(({ isWaiting }) => isWaiting === true);
  if (waiting !== undefined) {
    throw new ServiceError(
      'key.refused',
      `The key ${waiting.keyId} was added and has never been used: let it be the current one (keys rotate) first`,
    );
  }
}

/** The key that was added last and has never sealed. */
function waitingKey(states: readonly KeyState[]): KeyState | undefined {
  return states.findLast(
    ({ addedAt, currentSince, retiredAt }) =>
      addedAt !== undefined && currentSince === undefined && retiredAt === undefined,
  );
}

function placesOf(holders: readonly KeyHolder[]): string {
  return holders.map(({ place }) => place).join(', ');
}

function assertOperator({ principal }: Caller): void {
  if (!principal.operator) {
    throw new ServiceError('right.missing', 'Keys are changed at the machine itself only');
  }
}
