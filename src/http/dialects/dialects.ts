import type { Family } from '../request/exchange.ts';
import type { Dialect, DialectName, FailureDialect } from './dialect.ts';
import {
  DOCUMENTED_VERSION,
  DocumentedEnvelope,
  documentedEnrolment,
  documentedFailures,
  documentedLogin,
  documentedOcra,
  documentedValidate,
} from './documented.ts';
import { documentedAdministration } from './documented-administration.ts';
import { documentedMonitoring } from './documented-monitoring.ts';
import { linotpAdministration } from './linotp2-administration.ts';
import { linotpFailures } from './linotp2-failures.ts';
import { linotpEnrolment, linotpOcra, linotpValidate } from './linotp2-ocra.ts';
import { LINOTP_VERSION } from './linotp2-replies.ts';
import { linotpLogin, linotpMonitoring, MONITORING_VERSION, monitoringFailures } from './linotp3.ts';

/** @param version the version in answers; undefined: that of the dialect */
export function createDialect(name: DialectName, version: string | undefined): Dialect {
  return name === 'documented' ? createDocumentedDialect(version) : createLinotpDialect(version);
}

/** The dialect of the published interface description. */
function createDocumentedDialect(version = DOCUMENTED_VERSION): Dialect {
  const envelope = new DocumentedEnvelope(version);
  return {
    name: 'documented',
    routes: withFileNames,
    ocra: documentedOcra(envelope),
    validate: documentedValidate(envelope),
    enrolment: documentedEnrolment(envelope),
    login: documentedLogin(envelope),
    administration: documentedAdministration(envelope),
    monitoring: documentedMonitoring(envelope),
    failures: documentedFailures(envelope),
  };
}

/**
 * The dialect of LinOTP: the recorded answers of LinOTP 2.12.6, and for /monitoring and the login of LinOTP 3.4.4, byte
 * for byte except random values.
 * @param version the `version` in answers in place of LinOTP's own
 */
function createLinotpDialect(version: string | undefined): Dialect {
  const linotp2 = version ?? LINOTP_VERSION;
  const linotp3 = version ?? MONITORING_VERSION;
  return {
    name: 'linotp',
    routes,
    ocra: linotpOcra(linotp2),
    validate: linotpValidate(linotp2),
    enrolment: linotpEnrolment(linotp2),
    login: linotpLogin(linotp3),
    administration: linotpAdministration(linotp2),
    monitoring: linotpMonitoring(linotp3),
    failures: failuresByFamily({ linotp2: linotpFailures(linotp2), linotp3: monitoringFailures(linotp3) }),
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

/** The client names the file that it downloads. */
function withFileNames(path: string): string[] {
  return path === '/system/getPolicy/policy.cfg' ? ['/system/getPolicy/:file'] : [path];
}

function failuresByFamily(failures: Readonly<Record<Family, FailureDialect>>): FailureDialect {
  return {
    errorCode: (failure, context) => failures[context.family].errorCode(failure, context),
    failure: (failure, context) => failures[context.family].failure(failure, context),
  };
}
