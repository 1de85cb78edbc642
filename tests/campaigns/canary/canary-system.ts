import type { DialectName } from '../../../src/http/dialects/dialect.ts';
import { fuzzedEndpoints } from '../fuzz/fuzz-values.ts';
import type { CanaryAnswer, CanaryClient } from './canary-client.ts';
import type { CanaryMarks } from './canary-search.ts';

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
  await tryEverything(client, marks, name === 'linotp' ? 'linotp' : 'documented');
  await post('/admin/key/list', { count: '1' });
  await addWebhook(`${name}-hook`, post, marks);
  await helpThemselves(name, post, marks);
}

/** Every endpoint, on things that do not exist, with a secret of its own wherever its schema names one. */
async function tryEverything(client: CanaryClient, marks: CanaryMarks, dialect: DialectName): Promise<void> {
  for (const { path, methods, parameters, secrets } of fuzzedEndpoints(dialect)) {
    const given = parameters.map((name) => [
      name,
      secrets.includes(name) ? marks.text('password', `${name} of ${path}`) : 'none',
    ]);
    await client.send({
      path,
      method: methods.includes('POST') ? 'POST' : 'GET',
      parameters: Object.fromEntries(given) as Record<string, string>,
    });
  }
  await client.send({ path: '/admin/realm/default', method: 'POST', parameters: { name: 'staff' } });
}

/** Somebody at the account page, with a password that is wrong. */
async function helpThemselves(name: string, post: Post, marks: CanaryMarks): Promise<void> {
  const password = marks.text('wrong password', 'of a user at the account page');
  const policy = { name: `${name}-self`, scope: 'selfservice', realm: 'staff', user: '*' };
  await post('/system/setPolicy', { ...policy, action: 'show, rename, lock, enrol' });
  await post('/self/sign-in', { user: `${name}-nobody`, realm: 'staff', password });
  await post('/system/delPolicy', { name: policy.name });
}

type Post = (path: string, parameters?: Readonly<Record<string, string>>) => Promise<CanaryAnswer>;

async function tryResolvers(name: string, post: Post, marks: CanaryMarks): Promise<void> {
  const secret = (of: string): string => marks.text('resolver password', `of a trial, ${of}`);
  await post('/admin/resolver/kinds');
  await post('/admin/resolver/test', { name: `${name}-people` });
  const ldap = {
    name: `${name}-tried`,
    type: 'ldap',
    LDAPURI: 'ldap://127.0.0.1:1',
    LDAPBASE: 'dc=x',
    LOGINNAMEATTRIBUTE: 'uid',
    LDAPSEARCHFILTER: '(uid=*)',
    LDAPFILTER: '(uid=%s)',
  };
  const { name: tried, type: kind, ...set } = ldap;
  const draft = { name: tried, kind, set: JSON.stringify(set) };
  await post('/admin/resolver/test', { ...draft, secret: secret('without a server') });
  const broken = { ...draft, set: JSON.stringify({ ...set, LDAPFILTER: '(' }) };
  await post('/admin/resolver/test', { ...broken, secret: secret('with a broken filter') });
  await post('/admin/resolver/add', { ...broken, secret: secret('of what is not added') });
  await post('/admin/resolver/set', { name: `${name}-people`, secret: secret('of another one') });
  await post('/admin/testresolver', { ...ldap, BINDDN: 'cn=x', BINDPW: secret('of another client') });
  await post('/admin/testresolver', { ...ldap, name: '', LDAPFILTER: '(', BINDPW: secret('without a name') });
  const Connect = `postgresql://x:${encodeURIComponent(secret('in a URL'))}@127.0.0.1:1/x`;
  const Map = '{"userid": "id", "username": "login"}';
  await post('/admin/resolver/test', {
    name: `${name}-tried`,
    kind: 'sql',
    set: JSON.stringify({ Connect, Table: 'x', Map }),
  });
  await post('/admin/testresolver', { type: 'SQL', Connect, Table: 'x', Map });
}

async function changeUsers(name: string, post: Post, marks: CanaryMarks): Promise<void> {
  const user = { resolver: 'staff', login: `${name}-managed` };
  await post('/admin/user/add', { ...user, password: marks.text('password', 'of a managed user') });
  await post('/admin/user/password', { ...user, password: marks.text('password', 'a new one') });
  await post('/admin/user/remove', user);
}

async function addWebhook(name: string, post: Post, marks: CanaryMarks): Promise<void> {
  // No such host, so that nothing leaves this machine.
  const added = await post('/admin/webhook/add', { name, url: 'https://receiver.invalid/hook' });
  noteSecret(added, 'of a webhook', marks);
  await post('/admin/webhook/add', { name, url: 'https://127.0.0.1/' });
  noteSecret(await post('/admin/webhook/rotate-secret', { name }), 'of a webhook, renewed', marks);
  await post('/admin/webhook/set', { name, url: 'https://elsewhere.invalid/hook' });
  for (const act of ['deliveries', 'show', 'test', 'remove']) {
    await post(`/admin/webhook/${act}`, { name });
  }
}

function noteSecret({ value }: CanaryAnswer, name: string, marks: CanaryMarks): void {
  const { secret } = (value ?? {}) as { readonly secret?: string };
  marks.note('webhook secret', name, Buffer.from((secret ?? '').replace('whsec_', ''), 'base64'));
}
