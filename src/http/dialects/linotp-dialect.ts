import { ServiceError } from '../../kernel/errors.ts';
import type { Dialect } from './dialect.ts';
import { createDocumentedDialect } from './documented/documented-dialect.ts';
import { LINOTP_ADMINISTRATION } from './linotp2/linotp-administration.ts';
import { linotpEnrolled } from './linotp2/linotp-enrolment.ts';
import { LINOTP_VERSION, linotpValue } from './linotp2/linotp-envelope.ts';
import { linotpFailure } from './linotp2/linotp-failures.ts';
import { linotpMonitoring } from './linotp3/linotp-monitoring.ts';
import { monitoringVersion } from './linotp3/linotp-monitoring-envelope.ts';
import { monitoringFailure } from './linotp3/linotp-monitoring-failures.ts';
import { linotpOcra } from './linotp2/linotp-ocra.ts';
import { linotpValidate } from './linotp2/linotp-validate.ts';
import { linotpWording } from './linotp2/linotp-wording.ts';

/**
 * The dialect of LinOTP: what LinOTP 2.12.6, and for /monitoring LinOTP 3.4.4, were recorded to answer, byte for byte
 * but for random values.
 * @param given what the answers carry as `version` in place of LinOTP's own
 */
export function createLinotpDialect(given: string | undefined): Dialect {
  const version = given ?? LINOTP_VERSION;
  const newerVersion = monitoringVersion(given);
  return {
    ...createDocumentedDialect(version),
    requiresDisplayData: false,
    activationCodeSource,
    routes,
    repeatedInMonitoring: 'first',
    ...linotpMonitoring(newerVersion),
    ...linotpOcra(version),
    ...linotpValidate(version),
    resynchronised: (done) => linotpValue(version, done),
    tokensLoaded: (count) => linotpValue(version, { imported: count }),
    enrolled: (enrolled, context, picture) => linotpEnrolled(version, enrolled, context, picture),
    done: () => linotpValue(version, true),
    administration: LINOTP_ADMINISTRATION,
    administered: (content) => linotpValue(version, content),
    errorCode: ({ error, form }, context) =>
      context.family === 'linotp3' ? form.legacyCode : linotpWording(error, form, context).code,
    failure: (failure, context) =>
      context.family === 'linotp3'
        ? monitoringFailure(newerVersion, failure, context)
        : linotpFailure(version, failure, context),
  };
}

/** LinOTP 2.12.6 took a further part of a path for an id, and LinOTP 3.4.4 two slashes at the start for one. */
function routes(path: string): string[] {
  if (/^\/ocra\/./.test(path)) {
    return [path, `${path}/:id`];
  }
  return path.startsWith('/monitoring/') ? [path, `/${path}`] : [path];
}

/** LinOTP knows ASCII here only, and encodes the word None where nothing is given. */
function activationCodeSource(given = 'None'): string {
  if (/[^\0-\x7f]/.test(given)) {
    throw new ServiceError('parameter.invalid', "The parameter 'activationcode' must be ASCII");
  }
  return given;
}
