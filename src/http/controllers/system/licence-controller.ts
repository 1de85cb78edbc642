import type { Services } from '../../../services.ts';
import type { Licence } from '../../../monitoring/licence.ts';
import type { LicenceReport } from '../../../monitoring/outcomes.ts';
import type { AdministrationDialect } from '../../dialects/dialect.ts';
import type { Endpoint } from '../../endpoint-spec.ts';
import { required, secret } from '../../request/parameter-schemas.ts';
import { done } from '../../answers.ts';
import { INSTALLED_LICENCE, LICENCE } from '../answers/installation-answers.ts';
import { systemChange, systemReading } from './system-endpoint.ts';

/** @returns the endpoints that show, install and remove the licence */
export function licenceEndpoints(
  { licences }: Pick<Services, 'licences'>,
  dialect: AdministrationDialect,
): Endpoint[] {
  return [
    systemReading(
      {
        path: '/system/licence',
        summary: 'the licence, and whether it counts',
        answers: LICENCE,
        parameters: {},
      },
      async ({ caller, context }) => {
        const report = await licences.show(caller);
        return dialect.value(report.kind === 'none' ? null : licenceObject(report), context);
      },
    ),
    systemChange(
      {
        path: '/system/licence/install',
        summary: 'installs a licence in place of the present one; one that would not count is refused',
        answers: INSTALLED_LICENCE,
        parameters: { licence: secret(required('the signed licence, a JWS in compact form', 'eyJhbGciOi…')) },
      },
      async ({ caller, parameters: { licence }, context }) =>
        dialect.value(licenceObject(await licences.install(caller, licence)), context),
    ),
    systemChange(
      { path: '/system/licence/remove', summary: 'removes the licence', answers: done(), parameters: {} },
      async ({ caller, context }) => {
        await licences.remove(caller);
        return dialect.done(context);
      },
    ),
  ];
}

function licenceObject(report: Exclude<LicenceReport, { kind: 'none' }>): object {
  return {
    valid: report.kind === 'valid',
    reason: report.kind === 'valid' ? null : report.explanation,
    active: 'active' in report ? report.active : null,
    ...licenceMembers(report.licence),
  };
}

function licenceMembers(licence: Licence | undefined): object {
  return licence === undefined
    ? { unit: null, licensed: null, starts: null, ends: null, fields: {} }
    : {
        unit: licence.unit,
        licensed: licence.licensed,
        starts: licence.startsAt?.toISOString() ?? null,
        ends: licence.endsAt.toISOString(),
        fields: licence.fields,
      };
}
