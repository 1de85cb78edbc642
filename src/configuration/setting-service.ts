import { ServiceError } from '../kernel/errors.ts';
import type { Log } from '../kernel/log.ts';
import { didYouMean } from '../kernel/text.ts';
import { actOf, type Caller } from '../policy/caller.ts';
import {
  assertSetting,
  canonicalKey,
  ERROR_RESTRICTION,
  ERROR_SETTING,
  type KnownSetting,
  mayBeSecret,
} from './setting.ts';
import type { ExpectedSettings } from './expected-state.ts';
import type { ConfigurationStore } from './configuration-store.ts';
import type { Realm, Resolver, Configuration } from './configuration.ts';

export interface SettingDependencies {
  readonly configuration: ConfigurationStore;
  /** @throws ServiceError 'configuration.invalid' when values that the server reads are invalid */
  readonly check: (settings: ReadonlyMap<string, string>) => unknown;
  /** Defaults of unset keys. */
  readonly defaults: ReadonlyMap<string, string>;
  /** The settings that the server reads, besides that of error codes. Default: none. */
  readonly known?: readonly KnownSetting[];
  /** By default nothing is logged. */
  readonly log?: Pick<Log, 'warn'>;
}

/** A setting with its value in force. */
export interface DescribedSetting extends Partial<Omit<KnownSetting, 'key'>> {
  readonly key: string;
  /** Undefined: there is none, or it is withheld. */
  readonly value: string | undefined;
  readonly isSet: boolean;
  /** False: the server does not read it; it has no meaning, form and default. */
  readonly isKnown: boolean;
  /** It may be a secret: its value is not shown. */
  readonly isWithheld: boolean;
}

/** The configuration without policies, including the parts that are not stored as values of keys. */
export interface SettingOverview {
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
  readonly #deps: SettingDependencies;

  constructor(dependencies: SettingDependencies) {
    this.#deps = dependencies;
  }

  /** @returns the values that are set; all others have their defaults */
  async list(): Promise<ReadonlyMap<string, string>> {
    return (await this.#deps.configuration.current()).settings;
  }

  /** @returns the effective values, with realms and resolvers */
  async overview(): Promise<SettingOverview> {
    const { settings, realms, resolvers, changedAt } = await this.#deps.configuration.current();
    return { values: new Map([...this.#deps.defaults, ...settings]), realms, resolvers, changedAt };
  }

  /** @returns every setting that the server reads, and after them the others that are stored, by key */
  async describe(): Promise<readonly DescribedSetting[]> {
    const { settings } = await this.#deps.configuration.current();
    const known = this.#knownSettings();
    const others = [...settings.keys()].filter((key) => !known.some((one) => one.key === key)).sort();
    return [
      ...known.map((facts) => ({
        ...facts,
        value: settings.get(facts.key) ?? facts.initial,
        isSet: settings.has(facts.key),
        isKnown: true,
        isWithheld: false,
      })),
      ...others.map((key) => ({
        key,
        value: this.#isWithheld(key) ? undefined : settings.get(key),
        isSet: true,
        isKnown: false,
        isWithheld: this.#isWithheld(key),
      })),
    ];
  }

  /**
   * Checks values as `set` does, and sets none.
   * @throws ServiceError 'parameter.missing', 'configuration.invalid'
   */
  async check(entries: ReadonlyMap<string, string>): Promise<void> {
    this.#canonicalEntries(await this.#deps.configuration.current(), entries);
  }

  /**
   * Sets values, all or none.
   * @param expected the values that the caller has read; of keys that it does not have, any is replaced
   * @throws ServiceError 'parameter.missing' when there are none, 'configuration.invalid' that names the key,
   *   'parameter.invalid' for an expected value that is withheld, 'configuration.changed' where another administrator
   *   has changed an expected one meanwhile
   */
  async set(
    caller: Caller,
    entries: ReadonlyMap<string, string>,
    expected?: ExpectedSettings,
  ): Promise<void> {
    const requested = this.#canonicalEntries(await this.#deps.configuration.current(), entries);
    const act = actOf(caller, 'configuration/set');
    await this.#deps.configuration.putSettings(requested, act, this.#byStoredKeys(expected));
    // Old clients store keys that only LinOTP reads. The operator has been asked.
    const unread = caller.principal.operator ? [] : this.#unreadKeys(requested.keys());
    for (const key of unread) {
      this.#deps.log?.warn(`The server does not read the configuration value ${key}${this.#nearest(key)}`);
    }
  }

  /** @returns undefined for a key that the server reads; else a clause that says so, with the nearest key */
  unreadReason(key: string): string | undefined {
    const [unread] = this.#unreadKeys([this.#canonical(key)]);
    return unread === undefined ? undefined : `the server reads no setting ${unread}${this.#nearest(unread)}`;
  }

  /**
   * @param expected as for `set`
   * @throws ServiceError 'configuration.invalid' when no such value is set, 'parameter.invalid', 'configuration.changed'
   */
  async remove(caller: Caller, key: string, expected?: ExpectedSettings): Promise<void> {
    const known = this.#canonical(key);
    const act = actOf(caller, 'configuration/remove');
    if (!(await this.#deps.configuration.removeSetting(known, act, this.#byStoredKeys(expected)))) {
      throw new ServiceError(
        'configuration.invalid',
        `The configuration value ${key.slice(0, 100)} is not set`,
      );
    }
  }

  /** @returns the values by the keys under which they are stored */
  #canonicalEntries(
    { settings }: Configuration,
    entries: ReadonlyMap<string, string>,
  ): ReadonlyMap<string, string> {
    if (entries.size === 0) {
      throw new ServiceError('parameter.missing', 'There is nothing to set', { parameters: [] });
    }
    const requested = new Map([...entries].map(([key, value]) => [this.#canonical(key), value]));
    for (const [key, value] of requested) {
      assertSetting(key, value);
    }
    this.#deps.check(new Map([...settings, ...requested]));
    return requested;
  }

  /**
   * @returns the expected values by the keys under which they are stored
   * @throws ServiceError 'parameter.invalid' for a value that is withheld: the answer would tell a right guess
   */
  #byStoredKeys(expected: ExpectedSettings | undefined): ExpectedSettings | undefined {
    if (expected === undefined) {
      return undefined;
    }
    const stored = new Map([...expected].map(([key, value]) => [this.#canonical(key), value]));
    const withheld = [...stored.keys()].find((key) => this.#isWithheld(key));
    if (withheld !== undefined) {
      throw new ServiceError(
        'parameter.invalid',
        `The configuration value '${withheld.slice(0, 100)}' may be a secret and is not shown: leave it out of 'expected'`,
        { parameter: 'expected' },
      );
    }
    return stored;
  }

  #isWithheld(key: string): boolean {
    return mayBeSecret(key) && !this.#knownSettings().some((one) => one.key === key);
  }

  #knownSettings(): readonly KnownSetting[] {
    return [...(this.#deps.known ?? []), ERROR_SETTING];
  }

  #unreadKeys(keys: Iterable<string>): readonly string[] {
    return [...keys].filter((key) => key !== ERROR_RESTRICTION && !this.#deps.defaults.has(key));
  }

  #nearest(key: string): string {
    return didYouMean(key, this.#deps.defaults.keys());
  }

  #canonical(key: string): string {
    return canonicalKey(key, this.#deps.defaults.keys());
  }
}
