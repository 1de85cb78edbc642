import type { AccessControl, Grant } from '../../policy/access-control.ts';
import { actOf, type Caller } from '../../policy/caller.ts';
import { isSerial, type NewToken, type TokenSecrets } from '../../tokens/token.ts';
import type { TokenStore } from '../../tokens/token-store.ts';
import type { ConfigurationStore } from '../../configuration/configuration-store.ts';
import { type Configuration, visibleRealm } from '../../configuration/configuration.ts';
import { readDescription, sealFirstPin, sealOcraPin } from '../../tokens/token-settings.ts';
import { ownerOf, type UserDirectory } from '../../users/user-directory.ts';
import type { Vault } from '../../keys/vault.ts';
import type { Random } from '../../kernel/clock.ts';
import { isServiceError, ServiceError } from '../../kernel/errors.ts';
import { bytesFromHex } from '../../ocra/hex.ts';
import type { ImportedKey, KeyFileFormat, KeyFileReader, KeyFileSecrets } from '../../tokens/key-file.ts';
import { type OcraSettings, readOcraSettings } from '../../configuration/settings.ts';
import { parseOcraSuite } from '../../ocra/suite.ts';
import { otpAlgorithmText } from '../../ocra/otp.ts';
import { MAX_KEY_BYTES, MIN_KEY_BYTES, MIN_OTP_KEY_BYTES, otpAlgorithmOf } from './enrolment.ts';

interface KeyFileImportRequest {
  /** Default: `pskc`. */
  readonly format?: KeyFileFormat | undefined;
  readonly file: string;
  /** Hexadecimal; empty means left out. */
  readonly preSharedKey?: string | undefined;
  readonly password?: string | undefined;
  /** The realm of the tokens for which the file names none; none if empty or left out. */
  readonly realm?: string | undefined;
}

/** A key that an import would refuse. */
interface RefusedKey {
  readonly serial: string;
  /** A sentence, with the place in the file where the file is wrong. */
  readonly reason: string;
}

/** The effect that an import of a file would have. Any refused key makes it load none. */
export interface KeyFileImportReport {
  /** The serials of the tokens it would load, in the order of the file. */
  readonly serials: readonly string[];
  readonly refused: readonly RefusedKey[];
}

/** The conditions for the tokens of a file, without the file. */
interface Surroundings {
  readonly configuration: Configuration;
  readonly grant: Grant;
  /** The realms of a token for which the file names none. */
  readonly realms: readonly string[];
  readonly settings: OcraSettings;
}

/** Token types by the last part of the algorithms of RFC 6030 §10 and of their profiles. */
const TYPES: readonly (readonly [type: string, algorithm: RegExp])[] = [
  ['ocra', /[:#]ocra(?:-1)?(?::.*)?$/i],
  ['hmac', /[:#](?:hotp|hmac)$/i],
  ['totp', /[:#]totp$/i],
];
const DESCRIPTION = 'imported';
/** Loaded at their first use. */
const KEY_FILES: Readonly<Record<KeyFileFormat, KeyFileReader>> = {
  pskc: { read: async (...file) => (await import('../../tokens/pskc-file.ts')).pskcFileReader.read(...file) },
  csv: {
    read: async (...file) => (await import('../../tokens/csv-key-file.ts')).csvKeyFileReader.read(...file),
  },
};

/** Imports tokens from key files. */
export class TokenImportService {
  readonly #deps;

  constructor(dependencies: {
    readonly configuration: Pick<ConfigurationStore, 'current'>;
    readonly access: AccessControl;
    readonly tokens: Pick<TokenStore, 'insertAll' | 'existingSerials'>;
    readonly users: UserDirectory;
    readonly vault: Vault;
    readonly random: Random;
  }) {
    this.#deps = dependencies;
  }

  /**
   * Imports all keys of a file or, if any of them is invalid, none: those of OCRA, HOTP and TOTP.
   * @returns the serials, in the order of the file
   * @throws ServiceError 'right.missing', 'realm.unknown', 'parameter.invalid', 'key-file.invalid', 'key-file.secret',
   *   'token.exists'
   */
  async load(caller: Caller, request: KeyFileImportRequest): Promise<readonly string[]> {
    const tokens = await this.#read(caller, request, (error) => {
      throw error;
    });
    await this.#deps.tokens.insertAll(tokens, actOf(caller, 'token/import'));
    return tokens.map(({ serial }) => serial);
  }

  /**
   * Reads a file as `load` does and stores nothing: every wrong key is reported, not the first one alone.
   * @throws ServiceError as `load`, but for keys that are wrong or exist
   */
  async check(caller: Caller, request: KeyFileImportRequest): Promise<KeyFileImportReport> {
    const refused: RefusedKey[] = [];
    const tokens = await this.#read(caller, request, ({ message }, serial) => {
      refused.push({ serial, reason: message });
    });
    return { serials: tokens.map(({ serial }) => serial), refused };
  }

  /** @returns the tokens of the keys that are not refused */
  async #read(
    caller: Caller,
    request: KeyFileImportRequest,
    refuse: (error: ServiceError, serial: string) => void,
  ): Promise<NewToken[]> {
    const configuration = await this.#deps.configuration.current();
    const grant = this.#deps.access.authorize(configuration, caller, {
      scope: 'admin',
      action: 'loadtokens',
    });
    const realms = realmsFor(configuration, grant, request);
    const surroundings = { configuration, grant, realms, settings: readOcraSettings(configuration.settings) };
    const keys = await KEY_FILES[request.format ?? 'pskc'].read(request.file, secretsOf(request));
    const taken = await this.#deps.tokens.existingSerials(keys.map(({ serial }) => serial).filter(isSerial));
    const seen = new Set<string>();
    const tokens: NewToken[] = [];
    for (const key of keys) {
      try {
        const token = await this.#toToken(key, surroundings);
        assertNew(key, seen, taken);
        tokens.push(token);
      } catch (error) {
        if (!isServiceError(error, 'key-file.invalid') && !isServiceError(error, 'token.exists')) {
          throw error;
        }
        refuse(error, key.serial);
      }
    }
    return tokens;
  }

  async #toToken(key: ImportedKey, surroundings: Surroundings): Promise<NewToken> {
    const { serial, place } = key;
    const type = this.#typeOf(key);
    const { settings } = surroundings;
    const { description = DESCRIPTION } = key;
    return {
      serial,
      type,
      ...(await this.#assign(key, surroundings)),
      description: atPlace(place, () => readDescription(description)),
      active: true,
      failCount: 0,
      maxFail: settings.defaultMaxFail,
      timeShift: 0,
      rollout: 'complete',
      replayMarkers: [],
      // That of TOTP is the time of the step that was accepted last: none was.
      counter: (type === 'totp' ? undefined : key.counter) ?? 0n,
      counterWindow: settings.defaultCountWindow,
      syncWindow: settings.defaultSyncWindow,
      algorithm: atPlace(place, () => algorithmOf(type, key, settings.defaultSuite)),
      secrets: atPlace(place, () => this.#secrets(key)),
      ...(key.use && { use: key.use }),
    };
  }

  #typeOf({ place, serial, secret, algorithm }: ImportedKey): string {
    if (!isSerial(serial)) {
      throw wrong(place, 'a serial has 1 to 64 printable ASCII characters, no blank and no *');
    }
    const type = TYPES.find(([, known]) => known.test(algorithm))?.[0];
    if (type === undefined) {
      throw wrong(place, 'the algorithm is none of ocra, hotp and totp');
    }
    const least = type === 'ocra' ? MIN_KEY_BYTES : MIN_OTP_KEY_BYTES;
    if (secret.length < least || secret.length > MAX_KEY_BYTES) {
      throw wrong(place, `a secret has ${least} to ${MAX_KEY_BYTES} bytes`);
    }
    return type;
  }

  #secrets({ serial, secret, pin = '', ocraPin = '' }: ImportedKey): TokenSecrets {
    const { vault, random } = this.#deps;
    return {
      sharedSecret: null,
      nonce: null,
      pin: sealFirstPin(pin, serial, vault, random),
      ocraPin: sealOcraPin(ocraPin, serial, vault),
      seed: vault.seal(secret, 'seed', serial),
    };
  }

  /** As in an enrolment: a token comes into the realm of its owner. */
  async #assign(
    { place, user, realm }: ImportedKey,
    { configuration, grant, realms }: Surroundings,
  ): Promise<Pick<NewToken, 'owner' | 'realms'>> {
    if (user === undefined) {
      const named =
        realm === undefined ? realms : [atPlace(place, () => visibleRealm(configuration, grant, realm))];
      return { owner: null, realms: named };
    }
    const reference = { user, realm: realm ?? realms[0] };
    const found = await this.#deps.users.find(configuration, reference, grant.realms);
    if (found === undefined) {
      throw wrong(place, `there is no user '${user.slice(0, 255)}' in the realm`);
    }
    return { owner: ownerOf(found), realms: [found.realm.name] };
  }
}

/** Requires one of the administrator's realms where the right is bound to realms. */
function realmsFor(
  configuration: Configuration,
  grant: Grant,
  { realm = '' }: KeyFileImportRequest,
): readonly string[] {
  if (realm.trim() !== '') {
    return [visibleRealm(configuration, grant, realm)];
  }
  if (grant.realms !== 'all') {
    throw new ServiceError(
      'right.missing',
      'You do not have the administrative right to load tokens without a realm: name one',
    );
  }
  return [];
}

function secretsOf({ preSharedKey = '', password = '' }: KeyFileImportRequest): KeyFileSecrets {
  if (preSharedKey !== '' && password !== '') {
    throw new ServiceError('parameter.invalid', 'Give either a pre-shared key or a password, not both');
  }
  return {
    ...(preSharedKey !== '' && { preSharedKey: Buffer.from(bytesFromHex(preSharedKey, 'pre-shared key')) }),
    ...(password !== '' && { password }),
  };
}

/** @returns the OCRA suite, or HOTP or TOTP, as tokens have it */
function algorithmOf(type: string, key: ImportedKey, fallback: string): string {
  const otp = otpAlgorithmOf({ ...key, type });
  return otp === undefined ? parseOcraSuite(key.suite ?? fallback).text : otpAlgorithmText(otp);
}

/** Adds the place in the file to the fault of a value. */
function atPlace<T>(place: string, read: () => T): T {
  try {
    return read();
  } catch (error) {
    throw isServiceError(error) ? wrong(place, error.message) : error;
  }
}

/**
 * Compares serials case-insensitively, as the database does.
 * @param seen the serials before it in the file, in lower case; receives this one
 */
function assertNew(
  { serial, place }: Pick<ImportedKey, 'place' | 'serial'>,
  seen: Set<string>,
  taken: ReadonlySet<string>,
): void {
  const caseless = serial.toLowerCase();
  if (seen.has(caseless)) {
    throw wrong(place, `the serial '${serial}' stands in the file twice`);
  }
  seen.add(caseless);
  if (taken.has(caseless)) {
    throw new ServiceError('token.exists', `There is a token with the serial '${serial}' already`);
  }
}

function wrong(place: string, message: string): ServiceError {
  return new ServiceError('key-file.invalid', `The key file is wrong in ${place}: ${message}`);
}
