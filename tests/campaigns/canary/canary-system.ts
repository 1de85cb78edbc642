import type { z } from 'zod';
import { metaOf } from '../../../src/operations/input.ts';
import type { OperationGroup } from '../../../src/operations/operation.ts';
import { OPERATION_GROUPS } from '../../../src/operations/operations.ts';
import { POLICIES } from '../../../src/operations/policies.ts';
import { REALMS } from '../../../src/operations/realms.ts';
import { RESOLVERS } from '../../../src/operations/resolvers.ts';
import { SETTINGS } from '../../../src/operations/settings.ts';
import type { CanaryAnswer, CanaryClient } from './canary-client.ts';
import type { CanaryMarks } from './canary-marks.ts';

/** An administrator's requests about the installation: trials of resolvers, users, keys, webhooks. */
export async function administerSystem(
  name: string,
  client: CanaryClient,
  marks: CanaryMarks,
): Promise<void> {
  const post = (path: string, parameters: Readonly<Record<string, string>> = {}): Promise<CanaryAnswer> =>
    client.send({ path, method: 'POST', parameters });
  await tryResolvers(name, post, marks);
  await changeUsers(name, post, marks);
  await changeTokens(name, post, marks);
  await tryOperations(post, marks);
  await post('/admin/keys/list');
  await post('/admin/keys/list', { count: '1' });
  await post('/admin/installation/health');
  await addWebhook(`${name}-hook`, post, marks);
  await helpThemselves(name, post, marks);
  await client.send({ path: '/self/tokens', method: 'GET' });
}

/** Groups of operations of which no other request knows. */
const CONFIGURATION: readonly OperationGroup[] = [POLICIES, REALMS, RESOLVERS, SETTINGS];

/** The operations on the configuration, and what would follow from each operation, on things that do not exist. */
async function tryOperations(post: Post, marks: CanaryMarks): Promise<void> {
  for (const group of OPERATION_GROUPS) {
    for (const operation of group.operations) {
      const { name, input } = operation;
      const path = `/admin/${name.replaceAll(' ', '/')}`;
      const parameters = Object.fromEntries(
        Object.entries(input.shape).map(([field, schema]) => [
          field,
          metaOf(schema as z.ZodType).secret === true
            ? marks.text('password', `${field} of ${path}`)
            : 'none',
        ]),
      );
      if (CONFIGURATION.includes(group)) {
        await post(path, { ...parameters, expected: '' });
      }
      if (
        operation.asks !== undefined &&
        [operation.right].flat(2).every((one) => one.startsWith('system:'))
      ) {
        await post(`${path}/consequences`, { ...parameters, expected: '' });
      }
    }
  }
  await post('/admin/realm/default', { name: 'staff' });
}

/** Users at the account page, with proofs that are wrong. */
async function helpThemselves(name: string, post: Post, marks: CanaryMarks): Promise<void> {
  const wrong = marks.text('wrong password', 'of a user at the account page');
  const policy = { name: `${name}-self`, scope: 'selfservice', realm: 'staff', user: '*' };
  await post('/system/setPolicy', { ...policy, action: 'show, rename, lock, enrol' });
  await post('/self/sign-in', { user: `${name}-nobody`, realm: 'staff', password: wrong });
  await post('/self/sign-in/finish', { response: wrong });
  await post('/self/rename', { serial: 'NONE', description: 'x' });
  await post('/self/lock', { serial: 'NONE' });
  await post('/self/enrol');
  await post('/self/enrol/finish', { response: wrong, description: 'x' });
  await post('/self/enrol/cancel');
  await post('/self/sign-out');
  await post('/admin/helpdesk/end-sessions', { user: `${name}-nobody`, realm: 'staff' });
  await post('/system/delPolicy', { name: policy.name });
}

type Post = (path: string, parameters?: Readonly<Record<string, string>>) => Promise<CanaryAnswer>;

async function tryResolvers(name: string, post: Post, marks: CanaryMarks): Promise<void> {
  const secret = (of: string): string => marks.text('resolver password', `of a trial, ${of}`);
  await post('/system/resolverKinds');
  await post('/system/testResolver', { name: `${name}-people` });
  const ldap = {
    name: `${name}-tried`,
    type: 'ldap',
    LDAPURI: 'ldap://127.0.0.1:1',
    LDAPBASE: 'dc=x',
    LOGINNAMEATTRIBUTE: 'uid',
    LDAPSEARCHFILTER: '(uid=*)',
    LDAPFILTER: '(uid=%s)',
  };
  await post('/system/testResolver', { ...ldap, BINDDN: 'cn=x', BINDPW: secret('without a server') });
  await post('/system/testResolver', { ...ldap, LDAPFILTER: '(', BINDPW: secret('with a broken filter') });
  await post('/admin/testresolver', { ...ldap, BINDDN: 'cn=x', BINDPW: secret('of another client') });
  await post('/admin/testresolver', { ...ldap, name: '', LDAPFILTER: '(', BINDPW: secret('without a name') });
  const Connect = `postgresql://x:${encodeURIComponent(secret('in a URL'))}@127.0.0.1:1/x`;
  const Map = '{"userid": "id", "username": "login"}';
  await post('/system/testResolver', { name: `${name}-tried`, type: 'sql', Connect, Table: 'x', Map });
  await post('/admin/testresolver', { type: 'SQL', Connect, Table: 'x', Map });
}

async function changeUsers(name: string, post: Post, marks: CanaryMarks): Promise<void> {
  const user = { resolver: 'staff', login: `${name}-managed` };
  await post('/admin/user/add', { ...user, password: marks.text('password', 'of a managed user') });
  await post('/admin/user/password', { ...user, password: marks.text('password', 'a new one') });
  await post('/admin/user/password', {
    ...user,
    login: 'x',
    password: marks.text('password', 'of nobody'),
  });
  await post('/admin/user/remove-password', user);
  await post('/admin/user/remove', user);
}

/** The operations on tokens, with secrets for a token that does not exist. */
async function changeTokens(name: string, post: Post, marks: CanaryMarks): Promise<void> {
  const serial = `${name}-none`;
  await post('/admin/token/list', { user: 'nobody' });
  await post('/admin/token/show', { serial });
  const pin = marks.text('password', 'as the PIN of no token');
  const response = (which: string): string => marks.text('password', `as the ${which} response of no token`);
  await post('/admin/token/set', { serial, pin, ocra_pin: pin });
  await post('/admin/token/remove-pin', { serial });
  await post('/admin/token/resync', { serial, otp1: response('first'), otp2: response('second') });
  await post('/admin/token/assign', { serial, user: 'nobody' });
  await post('/admin/token/realms', { serial });
  for (const act of ['enable', 'disable', 'reset', 'lose', 'unassign', 'remove']) {
    await post(`/admin/token/${act}`, { serials: serial });
  }
}

async function addWebhook(name: string, post: Post, marks: CanaryMarks): Promise<void> {
  // No such host, so that nothing leaves this machine.
  const added = await post('/admin/webhook/add', { name, url: 'https://receiver.invalid/hook' });
  noteSecret(added, 'of a webhook', marks);
  await post('/admin/webhook/add', { name, url: 'https://127.0.0.1/' });
  noteSecret(await post('/admin/webhook/rotate-secret', { name }), 'of a webhook, renewed', marks);
  await post('/admin/webhook/set', { name, url: 'https://elsewhere.invalid/hook' });
  await post('/admin/webhook/list');
  await post('/admin/webhook/deliveries', { name });
  await post('/admin/webhook/show', { name });
  await post('/admin/webhook/events');
  for (const act of ['test', 'disable', 'enable', 'retry', 'remove']) {
    await post(`/admin/webhook/${act}`, { name });
  }
}

function noteSecret({ value }: CanaryAnswer, name: string, marks: CanaryMarks): void {
  const { secret } = (value ?? {}) as { readonly secret?: string };
  marks.note('webhook secret', name, Buffer.from((secret ?? '').replace('whsec_', ''), 'base64'));
}
