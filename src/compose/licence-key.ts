import type { Config } from '../config/config.ts';
import { readSecretFile } from '../config/secret-file.ts';
import type { LicenceSignature } from '../monitoring/ports.ts';
import { JwsLicenceSignature } from '../security/licence-signature.ts';

/**
 * @returns what verifies licences; undefined where no key is configured. The key is read once: another one counts from
 *   the next start
 * @throws ServiceError 'configuration.invalid' when the file cannot be read or holds no such key
 */
export function openLicenceKey({
  licencePublicKeyFile,
}: Pick<Config, 'licencePublicKeyFile'>): LicenceSignature | undefined {
  return licencePublicKeyFile === undefined
    ? undefined
    : new JwsLicenceSignature({ publicKey: readSecretFile('LICENCE_PUBLIC_KEY_FILE', licencePublicKeyFile) });
}
