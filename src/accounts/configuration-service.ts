import { ServiceError } from '../kernel/errors.ts';
import type { AccessControl } from './access-control.ts';
import { administrativeRight } from './administrative-right.ts';
import { actOf, type Caller } from './caller.ts';
import type { SetupStore } from './ports.ts';
import type { Setup } from './setup.ts';

export interface ConfigurationDependencies {
  readonly setup: SetupStore;
  readonly access: AccessControl;
  /** @throws ServiceError 'configuration.invalid' when values that the server reads do not fit */
  readonly check: (configuration: ReadonlyMap<string, string>) => unknown;
}

const KEY = /^[A-Za-z0-9_][A-Za-z0-9_.:-]{0,254}$/;
const LONGEST_VALUE = 8192;

/**
 * Configuration values in the database, for all servers on it; keys are LinOTP's, case counts. Each method throws
 * ServiceError 'right.missing'; reading takes `system/read`, changing `system/write`.
 */
export class ConfigurationService {
  readonly #its: ConfigurationDependencies;

  constructor(dependencies: ConfigurationDependencies) {
    this.#its = dependencies;
  }

  /** @returns the values that are set; all others have their defaults */
  async list(caller: Caller): Promise<ReadonlyMap<string, string>> {
    return (await this.#allowed(caller, 'read')).configuration;
  }

  /**
   * Sets values, all or none.
   * @throws ServiceError 'parameter.missing' when there are none, 'configuration.invalid' that names the key
   */
  async set(caller: Caller, entries: ReadonlyMap<string, string>): Promise<void> {
    const { configuration } = await this.#allowed(caller, 'write');
    if (entries.size === 0) {
      throw new ServiceError('parameter.missing', 'There is nothing to set');
    }
    for (const [key, value] of entries) {
      assertEntry(key, value);
    }
    this.#its.check(new Map([...configuration, ...entries]));
    await this.#its.setup.putConfiguration(entries, actOf(caller, 'configuration/set'));
  }

  /** @throws ServiceError 'configuration.invalid' when no such value is set */
  async remove(caller: Caller, key: string): Promise<void> {
    await this.#allowed(caller, 'write');
    if (!(await this.#its.setup.removeConfiguration(key, actOf(caller, 'configuration/remove')))) {
      throw new ServiceError('configuration.invalid', `The configuration value ${shorten(key)} is not set`);
    }
  }

  async #allowed(caller: Caller, action: 'read' | 'write'): Promise<Setup> {
    const setup = await this.#its.setup.current();
    this.#its.access.authorize(setup, caller, administrativeRight('system', action));
    return setup;
  }
}

function assertEntry(key: string, value: string): void {
  if (!KEY.test(key)) {
    throw new ServiceError(
      'configuration.invalid',
      `'${shorten(key)}' is no configuration key: 1 to 255 letters A to Z, digits and any of _ . : -`,
    );
  }
  if (value.length > LONGEST_VALUE || /\0|\p{Cs}/u.test(value)) {
    throw new ServiceError(
      'configuration.invalid',
      `The configuration value ${key} has at most ${LONGEST_VALUE} characters, none of them NUL`,
    );
  }
}

function shorten(text: string): string {
  return text.slice(0, 100);
}
