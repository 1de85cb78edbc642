import { basic } from '../../../support/values/callers.ts';
import { OPERATOR, type TestApplication } from '../../../support/application/test-application.ts';
import type { Act, ActRequest, RequestValues } from './audited-act.ts';
import { PASSWORD } from './audited-sign-ins.ts';

interface AdministratorParts {
  readonly application: () => TestApplication;
  /** @returns a name that no administrator has */
  readonly name: () => string;
  readonly suite: string;
}

/** The password of the administrator, who has no second factor: enough to change credentials. */
const headers = { Authorization: basic('admin', PASSWORD) };

/** @returns the acts of the management of administrators and API tokens */
export function auditedAdministrators(parts: AdministratorParts): Readonly<Record<string, Act>> {
  const { application, name, suite } = parts;
  let enrolled: Promise<unknown> | undefined;
  const token = async (): Promise<string> => {
    await (enrolled ??= application().enrolPlain('FACTOR', suite));
    return 'FACTOR';
  };
  const about =
    (more: () => Promise<RequestValues> | RequestValues = () => ({})) =>
    async (): Promise<ActRequest> => {
      const administrator = name();
      await application().services.administrators.add(OPERATOR, administrator, PASSWORD);
      return { values: { administrator, ...(await more()) }, headers };
    };
  return {
    '/admin/admin/add': {
      prepare: () => Promise.resolve({ values: { administrator: name(), password: PASSWORD }, headers }),
      outcomes: ['created'],
      action: 'administrator/add',
    },
    '/admin/admin/remove': {
      prepare: about(),
      outcomes: ['removed'],
      action: 'administrator/remove',
    },
    '/admin/admin/password': {
      prepare: about(() => ({ password: 'another password' })),
      outcomes: ['password changed'],
      action: 'administrator/password',
    },
    '/admin/second-factor/set': {
      prepare: about(async () => ({ serial: await token() })),
      outcomes: ['second factor: token FACTOR'],
      action: 'administrator/second-factor',
    },
    '/admin/second-factor/remove': {
      prepare: about(),
      outcomes: ['second factor removed'],
      action: 'administrator/second-factor',
      // There was none.
      isIdle: true,
    },
    '/admin/second-factor/passkey-link': {
      prepare: about(),
      outcomes: ['passkey link created'],
      action: 'administrator/second-factor',
    },
    '/admin/api-token/add': {
      prepare: about(() => ({ name: 'probe', rights: 'monitoring:*', expires: '90D' })),
      outcomes: ['created'],
      action: 'api-token/add',
    },
    '/admin/api-token/remove': {
      prepare: async () => {
        const asked = await about(() => ({ name: 'probe' }))();
        const draft = { name: 'probe', rights: ['monitoring:*'] };
        const { administrator = '' } = asked.values;
        await application().services.administrators.addApiToken(OPERATOR, administrator, draft);
        return asked;
      },
      outcomes: ['removed'],
      action: 'api-token/remove',
    },
  };
}
