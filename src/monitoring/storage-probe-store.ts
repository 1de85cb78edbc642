import type { Sealed, Vault } from '../keys/vault.ts';
import { isServiceError } from '../kernel/errors.ts';
import type { Random } from '../kernel/clock.ts';
import type { Database } from '../database/database.ts';

const PROBE_SIZE = 32;

/**
 * Stores a probe among the configuration's secrets, reads the stored bytes, and rolls back. It is sealed as every new
 * secret, and opened with the keys that the security module returns at that moment.
 */
export class StorageProbe {
  readonly #deps;

  constructor(dependencies: {
    readonly database: Database;
    readonly vault: Pick<Vault, 'seal'>;
    /** Fetches the keys anew. */
    readonly freshVault: () => Promise<Pick<Vault, 'open'>>;
    readonly random: Random;
  }) {
    this.#deps = dependencies;
  }

  /**
   * @returns true only if the plain text is not in the stored bytes and they open to it again
   * @throws ServiceError 'key.unavailable' if there is no key to seal with, 'security-module.unavailable'
   */
  async encrypts(): Promise<boolean> {
    const { freshVault, random, vault } = this.#deps;
    const keys = await freshVault();
    const plain = random.bytes(PROBE_SIZE);
    const key = `probe.${random.bytes(16).toString('hex')}`;
    const stored = await this.#storeAndRollBack(key, vault.seal(plain, 'setting', key));
    return stored !== undefined && !shows(stored, plain) && opensTo(keys, { plain, stored, key });
  }

  /**
   * Rolls back instead of removing: the configuration's revision does not move, and no failure leaves a probe behind.
   */
  async #storeAndRollBack(key: string, secret: Sealed): Promise<Buffer | undefined> {
    const transaction = await this.#deps.database.knex.transaction();
    try {
      await transaction('configuration').insert({ key, value: '', secret });
      const [row] = await transaction<{ key: string; secret: Buffer }>('configuration')
        .select('secret')
        .where({ key });
      return row?.secret;
    } finally {
      await transaction.rollback();
    }
  }
}

function opensTo(
  keys: Pick<Vault, 'open'>,
  { plain, stored, key }: { plain: Buffer; stored: Buffer; key: string },
): boolean {
  try {
    return keys.open(stored as Sealed, 'setting', key).equals(plain);
  } catch (error) {
    if (isServiceError(error, 'secret.unreadable')) {
      return false;
    }
    throw error;
  }
}

/** @returns true if the plain text is readable in the stored bytes, as it is or in a usual encoding */
function shows(stored: Buffer, plain: Buffer): boolean {
  const spellings = [plain, ...(['hex', 'base64', 'base64url'] as const).map((form) => plain.toString(form))];
  return spellings.some((spelling) => stored.includes(spelling));
}
