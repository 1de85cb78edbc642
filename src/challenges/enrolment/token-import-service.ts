import type { AccessControl, Grant } from '../../policy/access-control.ts';
import { actOf, type Caller } from '../../policy/caller.ts';
import { isSerial } from '../../tokens/token.ts';
import type { ConfigurationStore } from '../../configuration/ports.ts';
import type { Configuration } from '../../configuration/configuration.ts';
import type { NewToken } from '../../tokens/token.ts';
import { visibleRealm } from '../../tokens/token-view.ts';
import type { Vault } from '../../keys/vault.ts';
import { isServiceError, ServiceError } from '../../kernel/errors.ts';
import { bytesFromHex } from '../../ocra/hex.ts';
import type { ImportedKey, KeyFileReader, TokenLoading } from './key-file.ts';
import { type OcraSettings, readOcraSettings } from '../ocra-settings.ts';
import { parseOcraSuite } from '../../ocra/suite.ts';

/** A key file and its secret. */
export interface ImportRequest {
  /** PSKC (RFC 6030). */
  readonly file: string;
  /** Hexadecimal; empty means left out. */
  readonly preSharedKey?: string | undefined;
  readonly password?: string | undefined;
  /** The realm of all the tokens; none if empty or left out. */
  readonly realm?: string | undefined;
}

/** A key that an import would refuse. */
interface RefusedKey {
  readonly serial: string;
  /** A sentence, with the place in the file where the file is wrong. */
  readonly reason: string;
}

/** What an import of a file would do. Any refused key makes it load none. */
export interface ImportReport {
  /** The serials of the tokens it would load, in the order of the file. */
  readonly serials: readonly string[];
  readonly refused: readonly RefusedKey[];
}

export interface ImportDependencies {
  readonly configuration: ConfigurationStore;
  readonly access: AccessControl;
  readonly reader: KeyFileReader;
  readonly loading: TokenLoading;
  readonly vault: Vault;
}

/** Token types by the last part of the algorithms of RFC 6030 §10 and of their profiles. */
const TYPES: readonly (readonly [type: string, algorithm: RegExp])[] = [
  ['ocra', /[:#]ocra(?:-1)?(?::.*)?$/i],
  ['hmac', /[:#]hotp$/i],
  ['totp', /[:#]totp$/i],
];
const DESCRIPTION = 'imported';

/** Imports tokens from key files. */
export class TokenImportService {
  readonly #deps: ImportDependencies;

  constructor(dependencies: ImportDependencies) {
    this.#deps = dependencies;
  }

  /**
   * Checks that the administrator may import any file at all, before the file is read.
   * @throws ServiceError 'right.missing'
   */
  async authorize(caller: Caller): Promise<void> {
    this.#grantOf(await this.#deps.configuration.current(), caller);
  }

  /**
   * Imports all keys of a file or, if any of them is invalid, none. OCRA keys become tokens that answer challenges;
   * HOTP and TOTP keys are stored, administered and counted.
   * @returns the serials, in the order of the file
   * @throws ServiceError 'right.missing', 'realm.unknown', 'parameter.invalid', 'key-file.invalid', 'key-file.secret',
   *   'token.exists'
   */
  async load(caller: Caller, request: ImportRequest): Promise<readonly string[]> {
    const configuration = await this.#deps.configuration.current();
    const grant = this.#grantOf(configuration, caller);
    const realms = realmsFor(configuration, grant, request);
    const settings = readOcraSettings(configuration.settings);
    const keys = await this.#deps.reader.read(request.file, secretsOf(request));
    const tokens = keys.map((key) => this.#toToken(key, settings));
    assertDistinct(keys);
    await this.#deps.loading.insertAll(tokens, { realms }, actOf(caller, 'token/import'));
    return tokens.map(({ serial }) => serial);
  }

  /**
   * Reads a file as `load` does and stores nothing: every wrong key is reported, not the first one alone.
   * @throws ServiceError as `load`, but for keys that are wrong or exist
   */
  async check(caller: Caller, request: ImportRequest): Promise<ImportReport> {
    const configuration = await this.#deps.configuration.current();
    realmsFor(configuration, this.#grantOf(configuration, caller), request);
    const settings = readOcraSettings(configuration.settings);
    const keys = await this.#deps.reader.read(request.file, secretsOf(request));
    const taken = await this.#deps.loading.taken(keys.map(({ serial }) => serial).filter(isSerial));
    const seen = new Set<string>();
    const [serials, refused]: [string[], RefusedKey[]] = [[], []];
    for (const key of keys) {
      try {
        this.#toToken(key, settings);
        assertNew(key, seen, taken);
        serials.push(key.serial);
      } catch (error) {
        if (!isServiceError(error, 'key-file.invalid') && !isServiceError(error, 'token.exists')) {
          throw error;
        }
        refused.push({ serial: key.serial, reason: error.message });
      }
    }
    return { serials, refused };
  }

  #grantOf(configuration: Configuration, caller: Caller): Grant {
    return this.#deps.access.authorize(configuration, caller, { scope: 'admin', action: 'loadtokens' });
  }

  #toToken(key: ImportedKey, settings: OcraSettings): NewToken {
    const { serial, place } = key;
    if (!isSerial(serial)) {
      throw wrong(place, 'a serial has 1 to 64 printable ASCII characters, no blank and no *');
    }
    if (key.secret.length < 16 || key.secret.length > 128) {
      throw wrong(place, 'a secret has 16 to 128 bytes');
    }
    const type = TYPES.find(([, algorithm]) => algorithm.test(key.algorithm))?.[0];
    if (type === undefined) {
      throw wrong(place, 'the algorithm is none of ocra, hotp and totp');
    }
    return {
      serial,
      type,
      description: DESCRIPTION,
      active: true,
      owner: null,
      realms: [],
      failCount: 0,
      maxFail: settings.defaultMaxFail,
      timeShift: 0,
      rollout: 'complete',
      replayMarkers: [],
      counter: key.counter ?? 0n,
      counterWindow: settings.defaultCountWindow,
      syncWindow: settings.defaultSyncWindow,
      ocraSuite: type === 'ocra' ? suiteOf(key, settings.defaultSuite) : null,
      secrets: {
        sharedSecret: null,
        nonce: null,
        pin: null,
        ocraPin: null,
        seed: this.#deps.vault.seal(key.secret, 'seed', serial),
      },
    };
  }
}

/** Requires one of the administrator's realms where the right is bound to realms. */
function realmsFor(
  configuration: Configuration,
  grant: Grant,
  { realm = '' }: ImportRequest,
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

function secretsOf({ preSharedKey = '', password = '' }: ImportRequest): {
  preSharedKey?: Buffer;
  password?: string;
} {
  if (preSharedKey !== '' && password !== '') {
    throw new ServiceError('parameter.invalid', 'Give either a pre-shared key or a password, not both');
  }
  return {
    ...(preSharedKey !== '' && { preSharedKey: Buffer.from(bytesFromHex(preSharedKey, 'pre-shared key')) }),
    ...(password !== '' && { password }),
  };
}

function suiteOf({ suite, place }: ImportedKey, fallback: string): string {
  try {
    return parseOcraSuite(suite ?? fallback).text;
  } catch (error) {
    throw isServiceError(error) ? wrong(place, error.message) : error;
  }
}

function assertDistinct(keys: readonly ImportedKey[]): void {
  const seen = new Set<string>();
  for (const key of keys) {
    assertNew(key, seen);
  }
}

/**
 * Compares serials case-insensitively, as the database does.
 * @param seen the serials before it in the file, in lower case; receives this one
 */
function assertNew(
  { serial, place }: ImportedKey,
  seen: Set<string>,
  taken: ReadonlySet<string> = new Set(),
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
