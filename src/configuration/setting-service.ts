import { z } from 'zod';
import { ServiceError } from '../kernel/errors.ts';
import type { Log } from '../kernel/log.ts';
import { isStorable } from '../kernel/text.ts';
import { actOf, type Caller } from '../policy/caller.ts';
import {
  canonicalKey,
  checkOcraSettings,
  isObeyed,
  KNOWN_SETTINGS,
  OCRA_DEFAULTS,
  whyRefused,
  MAX_VALUE_LENGTH,
} from './settings.ts';
import type { ExpectedSettings } from './expected-state.ts';
import type { ConfigurationStore } from './configuration-store.ts';
import type { Realm, Resolver } from './configuration.ts';

/** A setting with its value in force. */
export const SETTING = z.object({
  key: z.string().meta({ column: 'KEY' }),
  value: z.string().optional().meta({
    column: 'VALUE',
    description: 'the value in force; absent: there is none, or it is withheld',
  }),
  default: z.string().optional().describe('the default'),
  isSet: z.boolean().meta({ column: 'SET' }),
  // False: it has no meaning, form and default either.
  isKnown: z.boolean().describe('the server reads it'),
  isWithheld: z.boolean().describe('it may be a secret'),
  meaning: z.string().optional(),
  type: z.enum(['number', 'duration', 'suite', 'boolean', 'text']).optional(),
  unit: z.string().optional(),
  min: z.int().optional(),
  max: z.int().optional(),
});

interface DescribedSetting extends Readonly<z.output<typeof SETTING>> {
  /** Undefined: there is none, or it is withheld. */
  readonly value: string | undefined;
}

/** The configuration without policies, including the parts that are not stored as values of keys. */
export interface SettingsInForce {
  /** The effective values: those that are set, and the defaults of others. */
  readonly values: ReadonlyMap<string, string>;
  readonly realms: readonly Realm[];
  readonly resolvers: readonly Resolver[];
  readonly changedAt: Date;
}

/**
 * Configuration values in the database, for all servers on it. Keys are LinOTP's; those that the server reads are
 * accepted in either case, and with the prefix `linotp.`.
 */
export class SettingService {
  readonly #deps;

  constructor(dependencies: {
    readonly configuration: ConfigurationStore;
    /** By default nothing is logged. */
    readonly log?: Pick<Log, 'warn'>;
  }) {
    this.#deps = dependencies;
  }

  /** @returns the values that are set; all others have their defaults */
  async list(): Promise<ReadonlyMap<string, string>> {
    return (await this.#deps.configuration.current()).settings;
  }

  /** @returns the effective values, with realms and resolvers */
  async inForce(): Promise<SettingsInForce> {
    const { settings, realms, resolvers, changedAt } = await this.#deps.configuration.current();
    return { values: new Map([...OCRA_DEFAULTS, ...settings]), realms, resolvers, changedAt };
  }

  /** @returns every setting that the server reads, and after them the others that are stored, by key */
  async describe(): Promise<readonly DescribedSetting[]> {
    const { settings } = await this.#deps.configuration.current();
    const others = [...settings.keys()].filter((key) => !isObeyed(key)).sort();
    return [
      ...KNOWN_SETTINGS.map((facts) => ({
        ...facts,
        value: settings.get(facts.key) ?? facts.default,
        isSet: settings.has(facts.key),
        isKnown: true,
        isWithheld: false,
      })),
      ...others.map((key) => ({
        key,
        value: isWithheld(key) ? undefined : settings.get(key),
        isSet: true,
        isKnown: false,
        isWithheld: isWithheld(key),
      })),
    ];
  }

  /**
   * Checks values as `set` does, and sets none.
   * @throws ServiceError 'parameter.missing', 'configuration.invalid'
   */
  check(entries: ReadonlyMap<string, string>): void {
    canonicalEntries(entries);
  }

  /**
   * Sets values, all or none. Those that are stored already are not looked at: an invalid one keeps no other from being
   * set.
   * @param expected the values that the caller has read; of keys that it does not have, any is replaced
   * @throws ServiceError 'parameter.missing' when there are none, 'configuration.invalid' that names the key,
   *   'parameter.invalid' for an expected value that is withheld, 'configuration.changed' where another administrator
   *   has changed an expected one meanwhile
   * @returns clauses about those that are stored without effect, for clients that read them again
   */
  async set(
    caller: Caller,
    entries: ReadonlyMap<string, string>,
    expected?: ExpectedSettings,
  ): Promise<readonly string[]> {
    const requested = canonicalEntries(entries);
    const act = actOf(caller, 'configuration/set');
    await this.#deps.configuration.putSettings(requested, act, byStoredKeys(expected));
    const clauses = [...requested.keys()].flatMap((key) => this.unreadReason(key) ?? []);
    // The operator has been asked.
    for (const clause of caller.principal.operator ? [] : clauses) {
      this.#deps.log?.warn(`A configuration value without effect is stored: ${clause}`);
    }
    return clauses;
  }

  /** @returns undefined for a key that the server reads; else a clause that says so */
  unreadReason(key: string): string | undefined {
    const stored = canonical(key);
    return isObeyed(stored) ? undefined : `the server reads no setting ${stored}`;
  }

  /**
   * @param expected as for `set`
   * @throws ServiceError 'configuration.invalid' when no such value is set, 'parameter.invalid', 'configuration.changed'
   */
  async remove(caller: Caller, key: string, expected?: ExpectedSettings): Promise<void> {
    const known = canonical(key);
    const act = actOf(caller, 'configuration/remove');
    if (!(await this.#deps.configuration.removeSetting(known, act, byStoredKeys(expected)))) {
      throw new ServiceError(
        'configuration.invalid',
        `The configuration value ${key.slice(0, 100)} is not set`,
      );
    }
  }
}

/**
 * @returns the values by the keys under which they are stored
 * @throws ServiceError 'parameter.missing', 'configuration.invalid'
 */
function canonicalEntries(entries: ReadonlyMap<string, string>): ReadonlyMap<string, string> {
  if (entries.size === 0) {
    throw new ServiceError('parameter.missing', 'There is nothing to set', { parameters: [] });
  }
  const requested = new Map([...entries].map(([key, value]) => [canonical(key), value]));
  for (const [key, value] of requested) {
    assertSetting(key, value);
    const reason = whyRefused(key, value);
    if (reason !== undefined) {
      throw new ServiceError(
        'configuration.invalid',
        `The configuration value ${key.slice(0, 100)} cannot be set here: ${reason}`,
      );
    }
  }
  checkOcraSettings(requested);
  return requested;
}

/**
 * @returns the expected values by the keys under which they are stored
 * @throws ServiceError 'parameter.invalid' for a value that is withheld: the answer would tell a right guess
 */
function byStoredKeys(expected: ExpectedSettings | undefined): ExpectedSettings | undefined {
  if (expected === undefined) {
    return undefined;
  }
  const stored = new Map([...expected].map(([key, value]) => [canonical(key), value]));
  const withheld = [...stored.keys()].find(isWithheld);
  if (withheld !== undefined) {
    throw new ServiceError(
      'parameter.invalid',
      `The configuration value '${withheld.slice(0, 100)}' may be a secret and is not shown: leave it out of 'expected'`,
      { parameter: 'expected' },
    );
  }
  return stored;
}

/** Parts of keys of LinOTP whose values may be secrets, which an import or an old client has stored. */
const SECRET_KEY = /pass|secret|private|credential|(?:^|[._-])(?:pin|key)$/i;

function isWithheld(key: string): boolean {
  return SECRET_KEY.test(key) && !isObeyed(key);
}

function canonical(key: string): string {
  return canonicalKey(key, OCRA_DEFAULTS.keys());
}

const KEY = /^[A-Za-z0-9_][A-Za-z0-9_.:-]{0,254}$/;
/** @throws ServiceError 'configuration.invalid' for a key or a value that cannot be stored; never quotes the value */
function assertSetting(key: string, value: string): void {
  if (!KEY.test(key)) {
    throw invalid(
      `'${key.slice(0, 100)}' is no configuration key: 1 to 255 letters A to Z, digits and any of _ . : -`,
    );
  }
  if (value.length > MAX_VALUE_LENGTH || !isStorable(value)) {
    throw invalid(
      `The configuration value ${key} has at most ${MAX_VALUE_LENGTH} characters, none of them NUL`,
    );
  }
}

function invalid(message: string): ServiceError {
  return new ServiceError('configuration.invalid', message);
}
