import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readdirSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { type RunningServer, startServer } from '../../../src/http/serving/server.ts';
import { questionOf } from '../../support/values/asked-question.ts';
import { readRepositoryFile, REPOSITORY } from '../../repository/repository-file.ts';
import { applicationOfTests, OPERATOR, wrongResponse } from '../../support/application/test-application.ts';
import { freePort } from '../../support/servers/wait-for-port.ts';
import { findSystemProgram } from '../../support/servers/program-paths.ts';
import { describeWithProgram } from '../../support/servers/system-programs.ts';
import { APP_KEY, hotpAt } from '../../support/values/authenticator-app.ts';
import { expectSoon } from '../../support/values/expect-soon.ts';
import { temporaryFolder } from '../../support/values/temporary-folder.ts';

const SUITE = 'OCRA-1:HOTP-SHA256-8:QA32';
const USER = 'jürgen';
const PIN = 'pïn &4%';
/** With a HOTP token. */
const HOTP_USER = 'ann';
const MODULES = '/usr/lib/freeradius';
const APACHE_MODULES = '/usr/lib/apache2/modules';
const SECRET = 'testing123';
/** Seconds for which a program may wait for an answer. */
const PATIENCE = '20';

let server: RunningServer;
let address: string;
let counter = 0;
/** A long one: with it, the content of the QR code is longer than a text of RADIUS. */
const CALLBACK = `https://tan.example.org/${'staff-and-guests/'.repeat(8)}ocra/check_t`;

afterAll(() => server.close(1_000));
const application = applicationOfTests();
const folder = temporaryFolder();
beforeAll(async () => {
  await application.addRealm('staff', [USER, HOTP_USER]);
  await application.services.realms.setDefault(OPERATOR, 'staff');
  await application.setPolicy(
    'trigger',
    'authentication',
    `challenge_response=ocra, otppin=0, qrtanurl=${CALLBACK}`,
    { realm: 'staff' },
  );
  await application.enrolPlain('QR1', SUITE, { pin: PIN, user: USER, realm: 'staff' });
  await application.services.enrolment.init(OPERATOR, {
    type: 'hmac',
    serial: 'HOTP1',
    otpkey: APP_KEY,
    pin: PIN,
    user: HOTP_USER,
    realm: 'staff',
  });
  server = await startServer(application.app, { host: '127.0.0.1', port: 0 });
  address = `http://127.0.0.1:${server.port}`;
});

/** @returns a file of docs/examples for the server and the port of this test */
function example(name: string, port = 0): string {
  return readRepositoryFile(`docs/examples/${name}`)
    .replace('http://127.0.0.1:5001', address)
    .replace('port = 1812', `port = ${port}`);
}

/** @returns PIN and HOTP response together, each time the next one */
function nextPass(): string {
  counter += 1;
  return PIN + hotpAt(counter);
}

/** @returns all that a program prints to its end */
async function outputOf(program: string, words: readonly string[], input: string, env = {}): Promise<string> {
  const child = spawn(program, words, { env: { PATH: process.env.PATH, LC_ALL: 'C.UTF-8', ...env } });
  child.stdin.end(input);
  const pieces = await Promise.all([text(child.stdout), text(child.stderr)]);
  return pieces.join('');
}

const freeradius = existsSync(join(MODULES, 'rlm_rest.so')) ? findSystemProgram('freeradius') : undefined;
describeWithProgram('FreeRADIUS', freeradius, 'freeradius freeradius-rest', (program) => {
  describeWithProgram('asked by radclient', findSystemProgram('radclient'), 'freeradius-utils', (client) => {
    let radius: AsyncDisposable;
    let port: number;

    /** @param module the content of the file for the module */
    async function startRadius(on: number, module: string): Promise<AsyncDisposable> {
      const files = {
        'module.conf': module,
        'site.conf': example('freeradius-site.conf', on),
        'radiusd.conf': configuration(),
      };
      for (const [name, content] of Object.entries(files)) {
        await writeFile(join(folder, name), content);
      }
      const words = ['-f', '-l', 'stdout', '-d', folder, '-D', '/usr/share/freeradius', '-n', 'radiusd'];
      const child = spawn(program, words, { stdio: ['ignore', 'pipe', 'pipe'] });
      const ended = once(child, 'close');
      const stop = async (): Promise<void> => {
        child.kill('SIGTERM');
        await ended;
      };
      let printed = '';
      for (const stream of [child.stdout, child.stderr]) {
        stream.on('data', (piece: Buffer) => (printed += piece.toString()));
      }
      try {
        await expectSoon(() => printed).toMatch(/Ready to process requests|Instantiation failed/);
        expect(printed).toContain('Ready to process requests');
      } catch (error) {
        await stop();
        throw error;
      }
      return { [Symbol.asyncDispose]: stop };
    }

    beforeAll(async () => {
      port = await freePort();
      radius = await startRadius(port, example('freeradius-module.conf'));
    });
    afterAll(async () => {
      await radius[Symbol.asyncDispose]();
    });

    /** Sends an Access-Request. @returns the answer as radclient prints it */
    async function login(password: string, state?: string, user = USER): Promise<string> {
      const attributes = [`User-Name = "${user}"`, `User-Password = "${password}"`];
      const request = [...attributes, ...(state === undefined ? [] : [`State = ${state}`])].join(', ');
      const words = ['-x', '-r', '1', '-t', PATIENCE, `127.0.0.1:${port}`, 'auth', SECRET];
      const output = await outputOf(client, words, request);
      return output.slice(output.indexOf('Received '));
    }

    async function challenged(): Promise<{ state: string; response: string }> {
      const answer = await login(PIN);
      expect(answer).toMatch(/^Received Access-Challenge /);
      const [, state = ''] = /State = (0x[0-9a-f]+)/.exec(answer) ?? [];
      const messages = Array.from(answer.matchAll(/Reply-Message = "([^"]+)"/g), ([, message]) => message);
      expect(messages).toHaveLength(2);
      return { state, response: application.respond(SUITE, questionOf(messages.join(''))) };
    }

    it('lets a user in with PIN and response in two steps, and not by the same response again', async () => {
      const { state, response } = await challenged();
      expect(await login(wrongResponse(response), state)).toMatch(/^Received Access-Reject /);
      expect(await login(response, state)).toMatch(/^Received Access-Accept /);
      expect(await login(response, state)).toMatch(/^Received Access-Reject /);
    });

    it('lets a user in with PIN and response of HOTP together, once', async () => {
      const pass = nextPass();
      expect(await login(pass, undefined, HOTP_USER)).toMatch(/^Received Access-Accept /);
      expect(await login(pass, undefined, HOTP_USER)).toMatch(/^Received Access-Reject /);
    });

    it('starts while the server is away', async () => {
      const elsewhere = await freePort();
      const away = readRepositoryFile('docs/examples/freeradius-module.conf').replace(':5001', ':1');
      await using other = await startRadius(elsewhere, away);
      expect(other).toBeDefined();
    });

    it('answers a wrong PIN, and a response to another challenge, with a refusal', async () => {
      expect(await login('wrong')).toMatch(/^Received Access-Reject /);
      const { response } = await challenged();
      const { state } = await challenged();
      expect(await login(response, state)).toMatch(/^Received Access-Reject /);
    });
  });
});

/** @returns as little as the module and the site need of what Debian configures */
function configuration(): string {
  return [
    'name = tankeeper',
    `libdir = ${MODULES}`,
    `logdir = ${folder}`,
    `run_dir = ${folder}`,
    'log {\ndestination = stdout\n}',
    'thread pool {\nstart_servers = 1\nmax_servers = 4\nmin_spare_servers = 1\nmax_spare_servers = 2\n}',
    `client test {\nipaddr = 127.0.0.1\nsecret = ${SECRET}\n}`,
    'modules {',
    'expr {\n}',
    ...['ok', 'handled', 'reject'].map((name) => `always ${name} {\nrcode = ${name}\n}`),
    '$INCLUDE module.conf',
    '}',
    '$INCLUDE site.conf',
    '',
  ].join('\n');
}

const wrapped = readdirSync('/usr/lib').some((name) => existsSync(`/usr/lib/${name}/libpam_wrapper.so`));
const pamtester = wrapped ? findSystemProgram('pamtester') : undefined;
describeWithProgram('PAM, asked by pamtester', pamtester, 'pamtester libpam-wrapper', (program) => {
  async function login(password: string, user = USER): Promise<string> {
    const script = join(REPOSITORY, 'docs/examples/pam-login.sh');
    const services = {
      tan: `auth required pam_exec.so expose_authtok quiet /bin/sh ${script} ${address}\n`,
      other: 'auth required pam_deny.so\n',
    };
    for (const [name, content] of Object.entries(services)) {
      await writeFile(join(folder, name), content);
    }
    // Without it, services are read from /etc/pam.d alone.
    const wrapper = {
      LD_PRELOAD: 'libpam_wrapper.so',
      PAM_WRAPPER: '1',
      PAM_WRAPPER_SERVICE_DIR: folder,
    };
    return outputOf(program, ['tan', user, 'authenticate'], `${password}\n`, wrapper);
  }

  const refused = expect.stringMatching(/failed: exit code 1\s+pamtester: System error/) as unknown;
  const accepted = expect.stringContaining('pamtester: successfully authenticated') as unknown;

  it('lets a user in by PIN and response to a challenge, once', async () => {
    const { question } = await application.challenge('QR1');
    const response = application.respond(SUITE, question);
    const said: string[] = [];
    for (const typed of [wrongResponse(response), response, response]) {
      said.push(await login(PIN + typed));
    }
    expect(said).toEqual([refused, accepted, refused]);
  });

  it('lets a user in by PIN and response of HOTP, once', async () => {
    const pass = nextPass();
    expect([await login(pass, HOTP_USER), await login(pass, HOTP_USER)]).toEqual([accepted, refused]);
  });
});

const external = existsSync(join(APACHE_MODULES, 'mod_authnz_external.so'));
const apache = external ? findSystemProgram('apache2') : undefined;
describeWithProgram('Apache', apache, 'apache2 libapache2-mod-authnz-external', (program) => {
  const LOADED = 'mpm_event authn_core authz_core authz_user auth_basic authn_socache socache_shmcb';
  let child: ChildProcess;
  let url: string;

  beforeAll(async () => {
    const port = await freePort();
    const script = join(REPOSITORY, 'docs/examples/apache-login.sh');
    const content = [
      ...LOADED.split(' ').map((name) => `LoadModule ${name}_module ${APACHE_MODULES}/mod_${name}.so`),
      `LoadModule authnz_external_module ${APACHE_MODULES}/mod_authnz_external.so`,
      `Listen 127.0.0.1:${port}`,
      'ServerName localhost',
      `DefaultRuntimeDir ${folder}`,
      `PidFile ${folder}/apache.pid`,
      `ErrorLog ${folder}/apache.log`,
      `DocumentRoot ${REPOSITORY}/docs/examples`,
      ...(process.getuid?.() === 0 ? ['User nobody', 'Group nogroup'] : []),
      example('apache.conf').replace('/usr/local/bin/apache-login.sh', `/bin/sh ${script}`),
    ];
    await writeFile(join(folder, 'apache.conf'), `${content.join('\n')}\n`);
    url = `http://127.0.0.1:${port}/client.sh`;
    child = spawn(program, ['-D', 'FOREGROUND', '-f', join(folder, 'apache.conf')], { stdio: 'ignore' });
    await expectSoon(() => status('')).toBe(401);
  });
  afterAll(async () => {
    const ended = once(child, 'close');
    child.kill('SIGTERM');
    await ended;
  });

  /** @returns the status of an answer; undefined where none comes */
  async function status(pass: string, user = HOTP_USER): Promise<number | undefined> {
    const credentials = Buffer.from(`${user}:${pass}`).toString('base64');
    const answer = await fetch(url, { headers: { Authorization: `Basic ${credentials}` } }).catch(
      () => undefined,
    );
    return answer?.status;
  }

  it('checks PIN and response of HOTP once, and lets the browser in that has sent them', async () => {
    const pass = nextPass();
    expect([await status(pass), await status(pass), await status(`${pass}0`)]).toEqual([200, 200, 401]);
    expect((await application.services.tokens.show(OPERATOR, 'HOTP1')).failCount).toBe(0);
  });

  it('refuses a login of several lines, which would be another one for Apache', async () => {
    expect(await status('', `${HOTP_USER}\n${nextPass()}`)).toBe(401);
  });
});
