import { execFile } from 'node:child_process';
import { chmod, mkdir, mkdtemp, readdir, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type Ended, runCli, type Running, startCli } from '../../cli/cli-process.ts';

const PASSWORD = 'the administrator of this test';

const CHECKOUT = fileURLToPath(new URL('../../..', import.meta.url));

let folder: string;
let temporary: string;
let environment: Record<string, string>;
let server: Running;
let baseUrl: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'tankeeper-e2e-'));
  // Under root PostgreSQL runs as another user, who has to get through.
  await chmod(folder, 0o711);
  await writeFile(join(folder, 'password'), `${PASSWORD}\n`, { mode: 0o600 });
  // Of its own, so that nobody else's demo is in it.
  temporary = join(folder, 'tmp');
  await mkdir(temporary);
  await chmod(temporary, 0o711);
  environment = {
    HOME: folder,
    DATA_DIR: join(folder, 'data'),
    PORT: '0',
    LOG_FORMAT: 'json',
    DRAIN_TIME: '0',
    TMPDIR: temporary,
    ADMIN_PASSWORD_FILE: join(folder, 'password'),
  };
  server = startCli(['serve'], environment);
  const port = /"message":"Listening".*"port":(\d+).*\n/;
  const log = await server.printed(port);
  baseUrl = `http://127.0.0.1:${port.exec(log)?.[1] ?? ''}`;
});

afterAll(async () => {
  server.signal('SIGTERM');
  await server.ended;
  await rm(folder, { recursive: true, force: true });
});

async function run(line: string | readonly string[], input?: string): Promise<Ended> {
  return runCli(typeof line === 'string' ? line.split(' ') : line, environment, input);
}

/**
 * @returns the output of the command for scripts
 * @throws when it fails
 */
async function json(line: string | readonly string[], input?: string): Promise<unknown> {
  const parameters = typeof line === 'string' ? line.split(' ') : line;
  const { code, out, err } = await run([...parameters, '--json'], input);
  expect({ parameters, code, err }).toEqual({ parameters, code: 0, err: '' });
  return JSON.parse(out);
}

async function post(path: string, parameters: Record<string, string>, token?: string): Promise<unknown> {
  const basic = `Basic ${Buffer.from(`admin:${PASSWORD}`).toString('base64')}`;
  const answer = await fetch(baseUrl + path, {
    method: 'POST',
    body: new URLSearchParams(parameters),
    headers: { authorization: token === undefined ? basic : `Bearer ${token}` },
  });
  return answer.status === 200 ? answer.json() : answer.status;
}

describe('commands while the server runs on the embedded database', () => {
  it('make resolvers, realms, users and policies that the server knows at once', async () => {
    const users = join(folder, 'passwd');
    await writeFile(users, 'root:x:0:0:Charlie Root:/root:/bin/sh\nzoe:x:7:7:Zoe:/:/bin/sh\n', {
      mode: 0o644,
    });
    const qrtanurl = `qrtanurl=${baseUrl}/ocra/check_t`;
    await Promise.all([
      json('resolver add staff'),
      json(['resolver', 'add', 'unix', '--kind', 'passwd', '--file', users]),
      json(['policy', 'set', 'answers', '--scope', 'authentication', '--action', qrtanurl, '--realm', '*']),
    ]);
    await Promise.all([
      json('realm add office --resolvers staff,unix'),
      json('user add anna staff --given-name Anna --password-file -', 'a password\n'),
    ]);
    expect(await post('/monitoring/userinfo', {})).toMatchObject({
      result: {
        data: [
          ['office', 'staff', 1],
          ['office', 'unix', 2],
        ],
      },
    });
    const [tested, listed] = await Promise.all([
      json('resolver test unix'),
      json('user list --realm office'),
    ]);
    expect(tested).toEqual({ name: 'unix', users: 2 });
    expect(listed).toMatchObject([{ login: 'anna' }, { login: 'root' }, { login: 'zoe' }]);
  });

  it('roll a token out, the virtual device answering the server itself', async () => {
    const [phase1, { activationcode }] = await Promise.all([
      json(['token', 'init', '--user', 'anna', '--serial', 'QR1']) as Promise<{ app_import: string }>,
      json('device activation-code') as Promise<{ activationcode: string }>,
    ]);
    expect(phase1).toMatchObject({ kind: 'phase1', serial: 'QR1' });
    const [, phase2] = await Promise.all([
      json(['device', 'scan', phase1.app_import]),
      json(
        ['token', 'init', '--serial', 'QR1', '--message', 'Hello', '--activation-code-file', '-'],
        activationcode,
      ) as Promise<{ app_import: string }>,
    ]);
    expect(await json(['device', 'scan', phase2.app_import, '--send'])).toMatchObject({
      kind: 'nonce',
      serial: 'QR1',
      message: 'Hello',
      sent: { status: 200, accepted: true },
    });
    expect(await json('token show QR1')).toMatchObject({
      state: 'active',
      rollout: 'complete',
      user: 'anna',
      realms: ['office'],
    });
    expect((await stat(join(folder, '.tankeeper-device.json'))).mode & 0o777).toBe(0o600);
  });

  it('answer a challenge once, and never again', async () => {
    const issued = (await post('/ocra/request', { user: 'anna', data: 'Pay 1 EUR' })) as {
      detail: { data: string; transactionid: string };
    };
    const scan = ['device', 'scan', issued.detail.data, '--send'];
    const scanned = (await json(scan)) as { response: string };
    expect(scanned).toMatchObject({ message: 'Pay 1 EUR', sent: { accepted: true } });
    expect(await run(scan)).toMatchObject({
      code: 1,
      err: 'tankeeper: the server did not accept the response\n',
    });
    const replay = { transactionid: issued.detail.transactionid, pass: scanned.response };
    expect(await post('/ocra/check_t', replay)).toMatchObject({ result: { value: { result: false } } });
  });

  it('change tokens', async () => {
    await json('token init --generate --serial P1');
    await json('token disable QR1 P1 --yes');
    expect(await json('token list --inactive')).toMatchObject([{ serial: 'P1' }, { serial: 'QR1' }]);
    await Promise.all([
      json('token enable P1'),
      json('token assign P1 zoe@office'),
      json('token set P1 --max-fail 3 --pin-file -', '1234'),
      json('token reset P1'),
    ]);
    await json('token realms P1 --yes');
    expect(await json('token show P1')).toMatchObject({
      user: 'zoe',
      realms: [],
      max_fail: 3,
      state: 'active',
    });
    await json('token unassign P1 --yes');
    expect(await json('token list --unassigned --in-no-realm')).toMatchObject([{ serial: 'P1' }]);
    await json('token remove P1 --yes');
    expect(await run('token show P1')).toMatchObject({ code: 1, out: '' });
  });

  it('give administrators and API tokens what they may do, and take it again', async () => {
    await json('admin add probe --password-file -', 'the password of the probe');
    const { token } = (await json('api-token add probe nagios monitoring:*')) as {
      token: string;
    };
    expect(await post('/monitoring/tokens', {}, token)).toMatchObject({ result: { status: true } });
    expect(await json('api-token list probe')).toMatchObject([{ name: 'nagios', expires_at: null }]);
    const [, , listed] = await Promise.all([
      json('api-token remove probe nagios --yes'),
      json('admin password probe --password-file -', 'another password for it'),
      json('admin list'),
    ]);
    expect(await post('/monitoring/tokens', {}, token)).toBe(401);
    expect(listed).toMatchObject([{ name: 'admin' }, { name: 'probe' }]);
    await json('admin remove probe --yes');
    // The last administrator stays.
    expect(await run('admin remove admin --yes')).toMatchObject({ code: 1, out: '' });
  });

  it('set and remove values and policies, refusing what does not fit', async () => {
    await Promise.all([json('setting set OcraMaxChallenges 5'), json('policy disable answers --yes')]);
    const [values, policy] = await Promise.all([json('setting list'), json('policy show answers')]);
    expect(values).toContainEqual({ key: 'OcraMaxChallenges', value: '5', source: 'set' });
    expect(values).toContainEqual({ key: 'OcraMaxChallengeRequests', value: '3', source: 'default' });
    expect(policy).toMatchObject({ active: false });
    await Promise.all([json('setting remove OcraMaxChallenges'), json('policy remove answers --yes')]);
    const refused = await Promise.all([
      run('setting set OcraMaxChallenges many'),
      run('setting set OcraDefaultSuite rubbish'),
      run('policy set x --scope ocra --action fly'),
      run('resolver remove staff'),
    ]);
    expect(refused).toMatchObject(Array.from({ length: 4 }, () => ({ code: 1, out: '' })));
  });

  it('say what is configured, and that the tables are up to date', async () => {
    const [rows, migrated] = await Promise.all([json('config'), json('migrate')]);
    expect(rows).toContainEqual(
      expect.objectContaining({ variable: 'DATA_DIR', value: join(folder, 'data'), source: 'environment' }),
    );
    expect(migrated).toEqual({ applied: [] });
  });

  it('say clearly what is wrong, and end with 1: a wrong variable, a data folder in use', async () => {
    const [wrong, second] = await Promise.all([
      runCli(['token', 'list'], { ...environment, PORT: 'http' }),
      runCli(['serve'], { ...environment, PORT: '0' }),
    ]);
    expect(wrong.code).toBe(1);
    expect(wrong.err).toMatch(/^tankeeper: PORT='http' is not allowed/);
    expect(second.code).toBe(1);
    expect(second.err).toMatch(/^\{.*"level":"error","message":".*in use/);
  });

  it('go on when the server has stopped: it ends with 0 on SIGTERM, and a command starts the database itself', async () => {
    server.signal('SIGTERM');
    expect(await server.ended).toMatchObject({ code: 0 });
    expect(await json('token list')).toMatchObject([{ serial: 'QR1' }]);
  });
});

describe('the demo', () => {
  it('gives its whole tour, ends with 0 and leaves nothing behind, whatever DATABASE_URL says', async () => {
    const { code, out, err } = await runCli(['demo', '--exit'], {
      ...environment,
      DATABASE_URL: 'postgres://nobody@127.0.0.1:1/none',
    });
    expect({ code, err }).toEqual({ code: 0, err: '' });
    expect(out).toContain('All 14 steps gave the answers that they should.');
    expect(out).toContain('DATABASE_URL is set; the demo leaves that database alone');
    expect(out).not.toContain('\u001b');
    expect(await demoFolders()).toEqual([]);
  });

  it('stays up until somebody ends it; its lines can be pasted', async () => {
    const demo = startCli(['demo'], environment);
    const out = await demo.printed('Ctrl-C ends the demo');
    const line = /\$ (curl .*monitoring\/license.*)$/m.exec(out)?.[1] ?? '';
    const pasted = await pasteIntoShell(line);
    expect(JSON.parse(pasted)).toMatchObject({ result: { value: { support: 'community support' } } });
    for (const suggestion of out.split('\n').filter((text) => /^ {2}(curl|node)/.test(text))) {
      expect(await pasteIntoShell(suggestion)).not.toContain('"status": false');
    }
    demo.signal('SIGINT');
    expect(await demo.ended).toMatchObject({ code: 0, err: '' });
  });
});

async function demoFolders(): Promise<readonly string[]> {
  return (await readdir(temporary)).filter((name) => name.startsWith('tankeeper-demo-'));
}

async function pasteIntoShell(line: string): Promise<string> {
  const { stdout } = await promisify(execFile)('sh', ['-c', line], { cwd: CHECKOUT });
  return stdout;
}
