import { z } from 'zod';
import type { Services } from '../../../services.ts';
import type { Licence } from '../../../monitoring/licence.ts';
import type { LicenceReport } from '../../../monitoring/reports.ts';
import { type Shown, count } from '../../answers.ts';
import { type Endpoint, plainChange, valueChange, valueReading } from '../../endpoint-spec.ts';
import { required, secret } from '../../request/parameters.ts';

const time = z.iso.datetime();

const LICENCE = z.strictObject({
  valid: z.boolean(),
  reason: z.string().nullable().describe('why it does not count; null: it does'),
  unit: z.enum(['user', 'token']).nullable().describe('what it counts; null: it cannot be read'),
  licensed: count.nullable(),
  active: count.nullable().describe('the present number; null: not counted'),
  starts: time.nullable(),
  ends: time.nullable().describe('the first instant at which it is no longer valid'),
  fields: z.record(z.string(), z.union([z.string(), z.number(), z.boolean()])).describe('as signed'),
});

const EXAMPLE = {
  valid: true,
  reason: null,
  unit: 'user' as const,
  licensed: 500,
  active: 312,
  starts: null,
  ends: '2028-01-01T00:00:00.000Z',
  fields: { licensee: 'Example AG', 'user-num': 500, expire: '2027-12-31' },
};

export function licenceEndpoints({ licences }: Pick<Services, 'licences'>): Endpoint[] {
  return [
    valueReading(
      {
        path: '/system/licence',
        summary: 'the licence, and whether it counts',
        value: LICENCE.nullable().describe('null: none is installed'),
        example: EXAMPLE,
        parameters: {},
      },
      async () => {
        const report = await licences.show();
        return report.kind === 'none' ? null : shownLicence(report);
      },
    ),
    valueChange(
      {
        path: '/system/licence/install',
        summary: 'installs a licence in place of the present one; one that would not count is refused',
        value: LICENCE,
        example: EXAMPLE,
        parameters: { licence: secret(required('the signed licence, a JWS in compact form', 'eyJhbGciOi…')) },
      },
      async ({ caller, parameters: { licence } }) => shownLicence(await licences.install(caller, licence)),
    ),
    plainChange(
      { path: '/system/licence/remove', summary: 'removes the licence', parameters: {} },
      ({ caller }) => licences.remove(caller),
    ),
  ];
}

function shownLicence(report: Exclude<LicenceReport, { kind: 'none' }>): Shown<typeof LICENCE> {
  return {
    valid: report.kind === 'valid',
    reason: report.kind === 'valid' ? null : report.explanation,
    active: 'active' in report ? report.active : null,
    ...membersOf(report.licence),
  };
}

function membersOf(licence: Licence | undefined): Omit<Shown<typeof LICENCE>, 'valid' | 'reason' | 'active'> {
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
