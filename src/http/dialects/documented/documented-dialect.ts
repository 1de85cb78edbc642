import type { Dialect } from '../dialect.ts';
import { documentedAdministration } from './documented-administration.ts';
import { documentedEnrolment } from './documented-enrolment.ts';
import { DOCUMENTED_VERSION, DocumentedEnvelope } from './documented-envelope.ts';
import { documentedFailures } from './documented-failures.ts';
import { documentedLogin } from './documented-login.ts';
import { documentedMonitoring } from './documented-monitoring.ts';
import { documentedOcra } from './documented-ocra.ts';
import { documentedValidate } from './documented-validate.ts';

/**
 * @param version the `version` in answers
 * @returns the dialect of the published interface description
 */
export function createDocumentedDialect(version = DOCUMENTED_VERSION): Dialect {
  const envelope = new DocumentedEnvelope(version);
  return {
    routes: (path) => [path],
    ocra: documentedOcra(envelope),
    validate: documentedValidate(envelope),
    enrolment: documentedEnrolment(envelope),
    login: documentedLogin(envelope),
    administration: documentedAdministration(envelope),
    monitoring: documentedMonitoring(envelope),
    failures: documentedFailures(envelope),
  };
}
