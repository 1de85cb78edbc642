import type { Dialect } from './dialect.ts';
import { createDocumentedDialect } from './documented.ts';
import { LINOTP_ADMINISTRATION } from './linotp-administration.ts';
import { linotpEnrolled } from './linotp-enrolment.ts';
import { LINOTP_VERSION, linotpValue } from './linotp-envelope.ts';
import { linotpFailure } from './linotp-failures.ts';
import { linotpOcra } from './linotp-ocra.ts';
import { linotpValidate } from './linotp-validate.ts';
import { linotpWording } from './linotp-wording.ts';

/**
 * The dialect of LinOTP: what LinOTP 2.12.6 was recorded to answer, byte for byte but for random values.
 * @param given what the answers carry as `version` in place of LinOTP's own
 */
export function createLinotpDialect(given: string | undefined): Dialect {
  const version = given ?? LINOTP_VERSION;
  return {
    ...createDocumentedDialect(version),
    requiresDisplayData: false,
    exampleActivationCode: 'None',
    routes: (path) => (/^\/ocra\/./.test(path) ? [path, `${path}/:id`] : [path]),
    ...linotpOcra(version),
    ...linotpValidate(version),
    resynchronised: (done) => linotpValue(version, done),
    enrolled: (enrolled, asked, picture) => linotpEnrolled(version, enrolled, asked, picture),
    done: () => linotpValue(version, true),
    administration: LINOTP_ADMINISTRATION,
    administered: (content) => linotpValue(version, content),
    errorCode: ({ error, form }, asked) => linotpWording(error, form, asked).code,
    failure: (failure, asked) => linotpFailure(version, failure, asked),
  };
}
