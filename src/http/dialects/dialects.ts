import type { Family } from '../request/exchange.ts';
import type { Dialect, DialectName } from './dialect.ts';
import { linotpAdministration } from './linotp2-administration.ts';
import { linotpFailures } from './linotp2-failures.ts';
import { linotpTokens } from './linotp2-ocra.ts';
import { linotp3 } from './linotp3.ts';
import { createDocumentedDialect, withFileNames } from './documented.ts';

/** @param version the version in answers; undefined: that of the dialect */
export function createDialect(name: DialectName, version: string | undefined): Dialect {
  return name === 'documented' ? createDocumentedDialect(version) : createLinotpDialect(version);
}

/**
 * The dialect of LinOTP: the recorded answers of LinOTP 2.12.6, and for /monitoring and the login of LinOTP 3.4.4, byte
 * for byte except random values.
 * @param version the `version` in answers in place of LinOTP's own
 */
function createLinotpDialect(version: string | undefined): Dialect {
  const linotp2 = version ?? 'LinOTP 2.12.6';
  const { failures, ...further } = linotp3(version ?? 'LinOTP 3.4.4');
  return {
    name: 'linotp',
    routes,
    ...linotpTokens(linotp2),
    ...further,
    administration: linotpAdministration(linotp2),
    failures: failuresByFamily({ linotp2: linotpFailures(linotp2), linotp3: failures }),
  };
}

/**
 * Adds the paths that LinOTP also takes: 2.12.6 reads a further segment as an id, 3.4.4 two leading slashes as one, which
 * clients send whose address of the server ends with one. Not for the administration: rules of proxies may not know them.
 */
function routes(path: string): string[] {
  if (/^\/ocra\/./.test(path)) {
    return [path, `${path}/:id`];
  }
  return /^\/(?:monitoring|validate)\//.test(path) ? [path, `/${path}`] : withFileNames(path);
}

function failuresByFamily(failures: Readonly<Record<Family, Dialect['failures']>>): Dialect['failures'] {
  return {
    errorCode: (failure, context) => failures[context.family].errorCode(failure, context),
    failure: (failure, context) => failures[context.family].failure(failure, context),
  };
}
