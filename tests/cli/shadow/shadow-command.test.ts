import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { once } from 'node:events';
import { readFile, writeFile } from 'node:fs/promises';
import {
  createServer,
  type IncomingMessage,
  type RequestListener,
  type Server,
  type ServerResponse,
} from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { runProgram } from '../../../src/cli/program.ts';
import { systemClock } from '../../../src/kernel/clock.ts';
import { MonitoringReplayState } from '../../compat/monitoring-replay-state.ts';
import type { MonitoringExchange } from '../../compat/monitoring-replay.ts';
import { ReplayServer } from '../../compat/replay-server.ts';
import { TestApplication } from '../../support/application/test-application.ts';
import { RecordedLicences } from '../../support/values/recorded-licences.ts';
import { fakeCli } from '../fake-dependencies.ts';
import { fakeIo } from '../fake-io.ts';
import { temporaryFolder } from '../../support/values/temporary-folder.ts';

/** Recorded of LinOTP 3.4.4. */
const RECORDED = [
  '/monitoring/tokens',
  '/monitoring/tokens?status=unassigned%26inactive%2Cassigned%26active',
  '/monitoring/tokens?realms=mydefrealm%2Cmymixrealm&status=assigned%2Cunassigned%2Cactive%2Cinactive',
  '/monitoring/tokens?realms=%2F%3Ano+realm%3A%2F',
  '/monitoring/tokens?realms=unknown',
  '/monitoring/userinfo?realms=mydefrealm',
  '/monitoring/activeUsers',
];

const folder = temporaryFolder();
const servers: Server[] = [];

beforeAll(async () => {
  await writeFile(join(folder, 'recorded'), 'secret');
  await writeFile(join(folder, 'password'), 'correct horse');
});
afterEach(async () => {
  await Promise.all(
    servers.splice(0).map((server) => {
      server.closeAllConnections();
      return new Promise((resolve) => server.close(resolve));
    }),
  );
});

/** @returns the URL of a server with this handler */
async function listen(handler: RequestListener): Promise<string> {
  const server = createServer(handler);
  servers.push(server);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

interface Shadowed {
  readonly code: number;
  readonly out: string;
  readonly err: string;
}

async function shadow(
  old: { url: string; password: string },
  tankeeper: { url: string; password: string },
  ...more: string[]
): Promise<Shadowed> {
  const io = fakeIo();
  const words = [
    'shadow',
    '--url',
    old.url,
    '--password-file',
    join(folder, old.password),
    '--new-url',
    tankeeper.url,
    '--new-password-file',
    join(folder, tankeeper.password),
  ];
  const code = await runProgram([...words, ...more], fakeCli({}, { io }).dependencies);
  return { code, out: io.out(), err: io.err() };
}

async function questions(lines: readonly string[]): Promise<string[]> {
  const file = join(folder, 'questions');
  await writeFile(file, lines.join('\n'));
  return ['--questions', file];
}

it.each([
  ['--url', 'https://admin:geheim@linotp.example.com', '--user', '--password-file'],
  ['--url', 'https://:geheim@linotp.example.com', '--user', '--password-file'],
  ['--url', 'https://admin:ge/heim@linotp.example.com', '--user', '--password-file'],
  ['--url', 'admin:geheim@linotp.example.com', '--user', '--password-file'],
  ['--new-url', 'https://tan.example.com/?password=geheim', '--new-user', '--new-password-file'],
  ['--new-url', 'https://tan.example.com/#geheim', '--new-user', '--new-password-file'],
])(
  'refuses a password in %s, %s, without showing it, and says the way that works',
  async (option, url, user, file) => {
    const io = fakeIo();
    const others = option === '--url' ? [] : ['--url', 'https://linotp.example.com'];
    const code = await runProgram(['shadow', ...others, option, url], fakeCli({}, { io }).dependencies);
    expect([code, io.out(), io.err()]).toEqual([
      2,
      '',
      `tankeeper: ${option} must be a URL of http or https, without user, password and query: give ${user} NAME and ${file} FILE\n`,
    ]);
  },
);

describe('tankeeper in another dialect', () => {
  let application: TestApplication;
  let urls: { url: string; password: string }[];

  beforeAll(async () => {
    application = await TestApplication.open();
    await application.addRealm('office', ['ann']);
    await application.addRealm('home', []);
    await application.enrolPlain('T1', 'OCRA-1:HOTP-SHA256-8:C-QN08', { user: 'ann', realm: 'office' });
    await application.enrolPlain('T2', 'OCRA-1:HOTP-SHA256-8:C-QN08');
    await application.challenge('T1');
  });
  afterAll(() => application.close());

  async function both(): Promise<[{ url: string; password: string }, { url: string; password: string }]> {
    const password = 'password';
    const linotp = application.restarted({ dialect: 'linotp' });
    return [
      { url: await listen(linotp.app), password },
      { url: await listen(application.app), password },
    ];
  }

  it('states the same facts of all realms', async () => {
    const [old, tankeeper] = await both();
    expect(await shadow(old, tankeeper)).toEqual({
      code: 0,
      err: '',
      out: '11 questions, 11 answered alike\n',
    });
  });

  it('states the same of a transaction', async () => {
    const [old, tankeeper] = await both();
    const more = await questions([
      '# one token',
      '',
      'GET /ocra/checkstatus?serial=T1',
      '/ocra/checkstatus?serial=T9',
    ]);
    const { code, out } = await shadow(old, tankeeper, ...more, '--json');
    expect(JSON.parse(out)).toMatchObject({ questions: 2, alike: 2, differences: [] });
    expect(code).toBe(0);
  });

  it('refuses a wrong password', async () => {
    urls = await both();
    const [old, tankeeper] = urls as [{ url: string; password: string }, { url: string; password: string }];
    expect(await shadow({ ...old, password: 'recorded' }, tankeeper)).toEqual({
      code: 1,
      out: '',
      err: `tankeeper: ${old.url} refuses the login of admin (HTTP 401)\n`,
    });
  });

  it('asks nothing that may change something', async () => {
    const [old, tankeeper] = await both();
    for (const line of ['/admin/show', '/monitoring/storageEncryption', 'POST /monitoring/tokens']) {
      const { code, err } = await shadow(old, tankeeper, ...(await questions(['/monitoring/tokens', line])));
      expect({ code, err }).toMatchObject({
        code: 1,
        err: expect.stringContaining('line 2 is no question that changes nothing') as unknown,
      });
    }
  });
});

describe('a recorded LinOTP 3.4.4', () => {
  let server: ReplayServer;
  let state: MonitoringReplayState;
  let exchanges: readonly MonitoringExchange[];

  beforeAll(async () => {
    const licences = new RecordedLicences(systemClock);
    server = await ReplayServer.start({ clock: licences, licenceSignature: licences.signature });
    state = await MonitoringReplayState.putUp(server, licences);
    const text = await readFile(join(import.meta.dirname, '../../exchanges/monitoring-3.4.4.jsonl'), 'utf8');
    exchanges = text
      .split('\n')
      .filter((line) => line !== '')
      .map((line) => JSON.parse(line) as MonitoringExchange)
      .filter(({ name, request }) => name.startsWith('main/') && request.body === '');
  });
  afterAll(async () => {
    await state.takeDown();
    await server.stop();
  });

  /** Answers as recorded, to whom has logged in by /admin/login. */
  function recorded(change: (body: string) => string = (body) => body): RequestListener {
    return (request: IncomingMessage, response: ServerResponse) => {
      request.resume();
      if (request.url === '/admin/login') {
        response.setHeader('Set-Cookie', ['access_token_cookie=jwt; Path=/', 'csrf_access_token=c; Path=/']);
        response.end('{}');
        return;
      }
      const found = exchanges.find(({ request: { path } }) => path === request.url);
      if (found === undefined || request.headers.cookie !== 'access_token_cookie=jwt') {
        response.statusCode = 404;
        response.end('<html>');
        return;
      }
      response.end(change(found.response.body));
    };
  }

  it('is answered alike by tankeeper', async () => {
    const old = { url: await listen(recorded()), password: 'recorded' };
    const tankeeper = { url: server.baseUrl, password: 'recorded' };
    expect(await shadow(old, tankeeper, ...(await questions(RECORDED)))).toEqual({
      code: 0,
      err: '',
      // One of the recorded answers is an error.
      out: `${RECORDED.length} questions, ${RECORDED.length} answered alike, 1 of these without a result\n`,
    });
  });

  it('differs where one number does, which is named', async () => {
    const changed = recorded((body) => body.replace(/("mymixrealm": \{\s*"total": )4/, '$15'));
    const old = { url: await listen(changed), password: 'recorded' };
    const tankeeper = { url: server.baseUrl, password: 'recorded' };
    const more = await questions(['/monitoring/tokens', '/monitoring/userinfo?realms=mydefrealm']);
    expect(await shadow(old, tankeeper, ...more)).toEqual({
      code: 1,
      out: '/monitoring/tokens  Realms.mymixrealm.total: 5 there, 4 here\n2 questions, 1 answered alike\n',
      err: 'tankeeper: 1 of 2 questions are answered differently\n',
    });
    const { out } = await shadow(old, tankeeper, ...more, '--json');
    expect(JSON.parse(out)).toMatchObject({
      questions: 2,
      alike: 1,
      differences: [{ question: '/monitoring/tokens', fact: 'Realms.mymixrealm.total', old: 5, new: 4 }],
    });
  });

  it('differs where it gives no result at all', async () => {
    const old = { url: await listen(recorded()), password: 'recorded' };
    const tankeeper = { url: server.baseUrl, password: 'recorded' };
    const { code, out } = await shadow(
      old,
      tankeeper,
      ...(await questions(['/monitoring/tokens?status=active,inactive'])),
    );
    expect(code).toBe(1);
    expect(out).toContain('answer: "HTTP 404, no result" there, "a result" here');
  });
});

describe('a LinOTP 2 behind HTTP Digest', () => {
  it('gets no password, but a digest with each request, and its session', async () => {
    const seen: string[] = [];
    const url = await listen((request, response) => {
      const { authorization = '', cookie = '' } = request.headers;
      seen.push(`${request.url ?? ''} ${cookie} ${authorization.replaceAll(/"[0-9a-f]{32}"/g, '…')}`);
      if (!authorization.startsWith('Digest username="admin"')) {
        response.statusCode = 401;
        response.setHeader('WWW-Authenticate', [
          'Digest realm="LinOTP", nonce="n1", qop="auth"',
          'Basic realm="r"',
        ]);
      } else if (request.url === '/admin/getsession') {
        response.setHeader('Set-Cookie', 'admin_session=0123abc; Path=/');
      }
      response.end('{"result": {"status": true, "value": {"Realms": {"r": {"total": 1}}}}}');
    });
    const both = { url, password: 'password' };
    const { code } = await shadow(both, both, ...(await questions(['/monitoring/tokens?realms=r'])));
    expect(code).toBe(0);
    const uri = '/monitoring/tokens?realms=r&session=0123abc';
    expect(seen).toContain(
      `${uri} admin_session=0123abc Digest username="admin", realm="LinOTP", nonce="n1", uri="${uri}", response=…, qop=auth, nc=00000002, cnonce=…`,
    );
    expect(seen.join()).not.toContain(Buffer.from('admin:correct horse').toString('base64'));
  });

  it('is logged in to again when its nonce has expired', async () => {
    let asked = 0;
    const url = await listen((request, response) => {
      // As Apache after AuthDigestNonceLifetime.
      const nonce = asked < 2 ? 'n1' : 'n2';
      if (request.headers.authorization?.includes(`nonce="${nonce}"`) !== true) {
        response.statusCode = 401;
        response.setHeader(
          'WWW-Authenticate',
          `Digest realm="LinOTP", nonce="${nonce}", qop="auth", stale=true`,
        );
      } else if (request.url?.startsWith('/monitoring/') === true) {
        asked += 1;
      }
      response.end('{"result": {"status": true, "value": {}}}');
    });
    const both = { url, password: 'password' };
    const more = await questions(['/monitoring/tokens', '/monitoring/config', '/monitoring/userinfo']);
    expect(await shadow(both, both, ...more)).toEqual({
      code: 0,
      err: '',
      out: '3 questions, 3 answered alike\n',
    });
  });

  it('that does not answer is named', async () => {
    const nobody = { url: 'http://127.0.0.1:1', password: 'password' };
    const { code, err } = await shadow(nobody, nobody);
    expect(code).toBe(1);
    expect(err).toContain('no answer from http://127.0.0.1:1: connect ECONNREFUSED');
  });
});

describe('a comparison that proves nothing', () => {
  /** A server that takes any login and then answers so. */
  function answering(status: number, body: string): RequestListener {
    return (request, response) => {
      request.resume();
      response.setHeader('Set-Cookie', 'access_token_cookie=jwt; Path=/');
      response.statusCode = request.url === '/admin/login' ? 200 : status;
      response.end(body);
    };
  }

  it.each([
    [403, '{"result": {"status": false, "error": {"code": 410}}}'],
    [502, '<html>'],
  ])('fails where no question has a result on either side (HTTP %i)', async (status, body) => {
    const url = await listen(answering(status, body));
    const both = { url, password: 'password' };
    const { code, out, err } = await shadow(both, both, ...(await questions(['/monitoring/tokens'])));
    expect({ code, out }).toEqual({
      code: 1,
      out: '1 questions, 1 answered alike, 1 of these without a result\n',
    });
    expect(err).toBe('tankeeper: no question has a result on either server: nothing was compared\n');
  });

  it('names how many questions neither server has a result for', async () => {
    const url = await listen((request, response) => {
      const isKnown = request.url?.startsWith('/monitoring/tokens') === true;
      answering(isKnown ? 200 : 404, isKnown ? '{"result": {"status": true, "value": {}}}' : '')(
        request,
        response,
      );
    });
    const both = { url, password: 'password' };
    const more = await questions(['/monitoring/tokens', '/monitoring/license']);
    expect(await shadow(both, both, ...more)).toEqual({
      code: 0,
      err: '',
      out: '2 questions, 2 answered alike, 1 of these without a result\n',
    });
    const { out } = await shadow(both, both, ...more, '--json');
    expect(JSON.parse(out)).toMatchObject({ questions: 2, alike: 2, unanswered: ['/monitoring/license'] });
  });

  it('is refused without any question', async () => {
    const both = { url: await listen(answering(200, '{}')), password: 'password' };
    expect(await shadow(both, both, ...(await questions(['# none', ''])))).toEqual({
      code: 1,
      out: '',
      err: 'tankeeper: the list of questions is empty\n',
    });
  });
});

describe('a server that is elsewhere', () => {
  it('gets no password, but is named', async () => {
    const seen: string[] = [];
    const url = await listen((request, response) => {
      request.resume();
      seen.push(request.url ?? '');
      response.writeHead(301, { Location: 'https://linotp.example.org/admin/getsession?a=b' }).end();
    });
    const both = { url, password: 'password' };
    expect(await shadow(both, both)).toEqual({
      code: 1,
      out: '',
      err: `tankeeper: ${url} redirects to https://linotp.example.org, to which no password is sent: give the URL of the server itself\n`,
    });
    expect(seen).toEqual(['/admin/getsession']);
  });
});
