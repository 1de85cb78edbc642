import type { Vault } from '../keys/vault.ts';
import type { Sealed, SecretPurpose } from '../keys/vault.ts';
import { equalBytes } from '../kernel/constant-time.ts';
import type { EncryptionKey } from './encryption-key.ts';
import { readInstallation, type TextEncoding } from './installation-reading.ts';
import type { ComparableToken, LinotpSource, VerificationTarget } from './ports.ts';
import { RealmLinks } from './realm-links.ts';
import { resolverNameOf } from './resolver-mapping.ts';
import { wholeOf } from './source-row.ts';
import { type ImportedToken, mapToken, type TokenContext } from './token-mapping.ts';
import type { PlainTokenSecrets } from './token-secrets.ts';

/** A token that is not the same on both sides. */
export interface TokenDifference {
  readonly serial: string;
  /** What differs, each in words; the values of secrets are left out. */
  readonly differences: readonly string[];
}

export interface VerificationSummary {
  /** Tokens of the source. */
  readonly compared: number;
  readonly equal: number;
  readonly different: number;
}

export interface VerificationRequest {
  readonly source: LinotpSource;
  readonly encryptionKey: EncryptionKey;
  readonly encoding: TextEncoding;
  readonly found: (difference: TokenDifference) => void;
  readonly progress: (done: number, total: number) => void;
}

/** Compares the tokens of a LinOTP database with those of this server. It changes nothing. */
export class LinotpVerificationService {
  readonly #deps: { readonly target: VerificationTarget; readonly vault: Vault };

  constructor(dependencies: { target: VerificationTarget; vault: Vault }) {
    this.#deps = dependencies;
  }

  /** @throws ServiceError 'import.refused' */
  async run(request: VerificationRequest): Promise<VerificationSummary> {
    const { source, encryptionKey, encoding, found, progress } = request;
    const installation = await readInstallation(source, encryptionKey, encoding);
    const links = await RealmLinks.read(source);
    const context: TokenContext = {
      encryptionKey,
      repair: installation.repair,
      realmNames: installation.realmNames,
      realms: new Set(installation.realmNames.values()),
      resolvers: await this.#deps.target.resolverNames(),
    };
    const total = await source.count('Token');
    let [compared, different] = [0, 0];
    for await (const rows of source.rows('Token')) {
      const mapped = rows.map((row) => mapToken(row, links.of(wholeOf(row, 'linotptokenid') ?? -1), context));
      const stored = await this.#deps.target.tokens(mapped.map(({ name }) => name));
      for (const { name, value, reasons } of mapped) {
        const differences = value === undefined ? reasons : this.#compare(value, stored.get(name));
        if (differences.length > 0) {
          different += 1;
          found({ serial: name, differences });
        }
      }
      compared += rows.length;
      progress(compared, total);
    }
    return { compared, different, equal: compared - different };
  }

  #compare(token: ImportedToken, stored: ComparableToken | undefined): readonly string[] {
    if (stored === undefined) {
      return ['it is missing here'];
    }
    const wanted = plainFields(token);
    const plain = Object.entries(wanted).flatMap(([field, value]) => {
      const here = stored.fields[field];
      return here === value ? [] : [`${field}: ${shown(value)} in LinOTP, ${shown(here)} here`];
    });
    const secrets = SECRETS.filter((name) => !this.#isSameSecret(token, stored, name)).map(
      (name) => `${name}: differs`,
    );
    return [...plain, ...secrets];
  }

  #isSameSecret(token: ImportedToken, stored: ComparableToken, name: SecretName): boolean {
    const sealed = stored.secrets[name];
    const here = sealed === null ? null : this.#open(sealed, PURPOSES[name], token.serial);
    const wanted = token.secrets[name];
    return wanted === null || here === null ? wanted === here : equalBytes(wanted, here);
  }

  #open(sealed: Sealed, purpose: SecretPurpose, serial: string): Buffer {
    return this.#deps.vault.open(sealed, purpose, serial);
  }
}

export type SecretName = Exclude<keyof PlainTokenSecrets, 'keyForm'>;

const PURPOSES: Readonly<Record<SecretName, SecretPurpose>> = {
  seed: 'seed',
  sharedSecret: 'shared-secret',
  nonce: 'nonce',
  pin: 'pin',
  userPin: 'ocra-pin',
  soPin: 'so-pin',
};
const SECRETS = Object.keys(PURPOSES) as SecretName[];

/** @returns the fields that are no secrets, as texts, numbers and booleans */
function plainFields(token: ImportedToken): ComparableToken['fields'] {
  const { source } = token;
  return {
    type: token.type,
    description: token.description,
    active: token.active,
    realms: token.realms.join(', '),
    resolver: source.userId === '' ? '' : (resolverNameOf(source.resolverClass) ?? ''),
    failCount: token.failCount,
    maxFail: token.maxFail,
    counter: token.counter,
    counterWindow: token.counterWindow,
    syncWindow: token.syncWindow,
    timeShift: token.timeShift,
    ocraSuite: token.ocraSuite ?? '',
    rollout: token.rollout,
    lastSuccessAt: token.lastSuccessAt?.toISOString() ?? '',
  };
}

function shown(value: string | number | boolean | undefined): string {
  return value === undefined || value === '' ? 'nothing' : String(value);
}
