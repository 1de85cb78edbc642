import { writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { describeConfig, loadConfig, readSecretFile, unknownVariables } from '../../src/config/config.ts';
import { VARIABLES } from '../../src/config/variables.ts';
import { refusalOf } from '../support/values/refusal.ts';
import { temporaryFolder } from '../support/values/temporary-folder.ts';

const folder = temporaryFolder();
const SECURITY_MODULE = 'pkcs11';
const MODULE = {
  PKCS11_LIBRARY: '/lib/m.so',
  PKCS11_TOKEN: 't',
  PKCS11_PIN_FILE: '/run/pin',
  PKCS11_KEY: 'k',
};

describe('the configuration', () => {
  it('has defaults for an empty environment: loopback, embedded database, no proxy', () => {
    expect(loadConfig({})).toEqual({
      host: '127.0.0.1',
      port: 5001,
      dataDir: resolve('data'),
      databaseUrl: undefined,
      databasePreparedStatements: 'on',
      databaseSharedStatements: 'on',
      databasePoolSize: 10,
      databaseStatementTimeout: 30,
      databaseLockTimeout: 5,
      challengeRetention: 604_800,
      auditRetention: 'off',
      housekeepingInterval: 600,
      dialect: 'documented',
      sessionCookieHttpOnly: 'on',
      serviceVersion: undefined,
      logLevel: 'info',
      logFormat: 'auto',
      encryptionKeyFile: resolve('data/encryption.key'),
      adminPasswordFile: undefined,
      serveApiDocs: 'on',
      serveApp: 'on',
      serveConsole: 'on',
      appOrigins: [],
      trustProxy: [],
      drainTime: 5,
      limits: {
        exempt: ['loopback'],
        clientRequests: 500,
        clientFailures: 300,
        transactionFailures: 30,
        loginFailures: 5,
        loginsAtOnce: 2,
        requestsAtOnce: 1000,
        statusWaits: 500,
        connections: 4000,
      },
      requestTimeout: 30,
      securityModule: 'file',
      sessionLifetime: 3600,
      resolverTimeout: 3,
      resolverFileDirs: [],
      monitoringPost: 'on',
      monitoringPostSunset: undefined,
    });
  });

  it('takes a time to drain of nothing', () => {
    expect(loadConfig({ DRAIN_TIME: '0' }).drainTime).toBe(0);
  });

  it('takes an empty variable for an unset one', () => {
    expect(loadConfig({ PORT: '', DATABASE_URL: '' })).toEqual(loadConfig({}));
  });

  it('lets scripts read the cookie of a session only in the dialect linotp', () => {
    const SESSION_COOKIE_HTTP_ONLY = 'off';
    expect(() => loadConfig({ SESSION_COOKIE_HTTP_ONLY })).toThrow(
      "SESSION_COOKIE_HTTP_ONLY='off' also needs WIRE_DIALECT='linotp'.",
    );
    expect(loadConfig({ SESSION_COOKIE_HTTP_ONLY, WIRE_DIALECT: 'linotp' })).toMatchObject({
      sessionCookieHttpOnly: 'off',
    });
  });

  it('needs all of a PKCS #11 module or nothing, and names what is missing', () => {
    expect(() => loadConfig({ SECURITY_MODULE, PKCS11_TOKEN: 't' })).toThrow(
      "SECURITY_MODULE='pkcs11' also needs PKCS11_LIBRARY, PKCS11_PIN_FILE, PKCS11_KEY.",
    );
    expect(loadConfig(MODULE).pkcs11).toBeUndefined();
    const reported = { library: '/lib/m.so', token: 't', pinFile: '/run/pin', key: 'k' };
    expect(loadConfig({ SECURITY_MODULE, ...MODULE }).pkcs11).toEqual({ ...reported, createKey: false });
    expect(loadConfig({ SECURITY_MODULE, ...MODULE, PKCS11_CREATE_KEY: 'on' }).pkcs11?.createKey).toBe(true);
  });

  it('is frozen, and so is all in it', () => {
    const config = loadConfig({ SECURITY_MODULE, ...MODULE });
    const parts = [config, config.limits, config.limits.exempt, config.pkcs11, config.trustProxy];
    expect(parts.map((part) => Object.isFrozen(part))).toEqual(parts.map(() => true));
  });

  it.each([
    ['PORT', '70000', 'a whole number from 0 to 65535'],
    ['PORT', '80x', 'a whole number'],
    ['WIRE_DIALECT', 'klingon', 'documented'],
    ['LOG_LEVEL', 'loud', 'error, warn, info, debug'],
    ['DATABASE_URL', 'mysql://x', 'postgres://'],
    ['TRUST_PROXY', '10.0.0.0/8,true', 'addresses or networks'],
    ['DRAIN_TIME', '11M', 'a duration from 0S to 10M'],
    ['LIMIT_EXEMPT', '::ffff:10.0.0.0/64', 'addresses or networks'],
    ['MONITORING_POST', 'yes', 'on, off'],
    ['MONITORING_POST_SUNSET', '31.12.2027', 'a date'],
    ['SESSION_LIFETIME', '0', 'a duration'],
    ['DATABASE_POOL_SIZE', '4', 'a whole number from 5'],
    ['RESOLVER_FILE_DIRS', '/srv/users,users', 'absolute folders'],
    ['RESOLVER_FILE_DIRS', '/srv/users,', 'absolute folders'],
    ['APP_ORIGINS', 'https://app.example.com/', 'origins such as'],
    ['APP_ORIGINS', 'https://app.example.com,', 'origins such as'],
    ['APP_ORIGINS', 'http://app.example.com', 'http:// for this machine only'],
    ['APP_ORIGINS', 'http://localhost.example.com', 'http:// for this machine only'],
    ['APP_ORIGINS', 'https://user@app.example.com', 'origins such as'],
    ['APP_ORIGINS', 'null', 'origins such as'],
    ['SERVE_APP', 'yes', 'on, off'],
  ])('names the variable, the value and what is allowed: %s=%s', (variable, value, allowed) => {
    expect(() => loadConfig({ [variable]: value })).toThrow(
      expect.objectContaining({
        code: 'configuration.invalid',
        message: expect.stringMatching(
          new RegExp(`^${variable}='${value.replace('.', '\\.')}' is not allowed. Allowed: .*${allowed}`),
        ),
      }),
    );
  });

  it.each(['*', 'https://*', 'https://*.example.com'])(
    'names no origin that stands for others: %s',
    (value) => {
      expect(() => loadConfig({ APP_ORIGINS: value })).toThrow(
        expect.objectContaining({ code: 'configuration.invalid' }),
      );
    },
  );

  it('reads origins as browsers write them', () => {
    const given =
      'HTTPS://App.Example.com:443, https://app.example.com:8443 ,http://LOCALHOST:5173,http://[::1]:80';
    expect(loadConfig({ APP_ORIGINS: given }).appOrigins).toEqual([
      'https://app.example.com',
      'https://app.example.com:8443',
      'http://localhost:5173',
      'http://[::1]',
    ]);
  });

  it('names every wrong variable at once', () => {
    expect(() => loadConfig({ PORT: 'x', LOG_LEVEL: 'y' })).toThrow(/PORT=.*\n.*LOG_LEVEL=/s);
    const wrong = { PORT: 'x', TRUST_PROXY: '10.0.0.0/8,true,maybe', SECURITY_MODULE: 'pkcs11' };
    expect(() => loadConfig(wrong)).toThrow(
      expect.objectContaining({
        message: [
          "PORT='x' is not allowed. Allowed: a whole number from 0 to 65535.",
          "TRUST_PROXY='10.0.0.0/8,true,maybe' is not allowed. Allowed: addresses or networks, comma separated, or loopback, linklocal, uniquelocal.",
          "SECURITY_MODULE='pkcs11' also needs PKCS11_LIBRARY, PKCS11_TOKEN, PKCS11_PIN_FILE, PKCS11_KEY.",
        ].join('\n'),
      }),
    );
  });

  it('puts the password of a file into the URL', () => {
    const file = join(folder, 'password');
    writeFileSync(file, 'p@ss/word\n');
    const config = loadConfig({
      DATABASE_URL: 'postgres://u@db:5432/t',
      DATABASE_PASSWORD_FILE: file,
    });
    expect(new URL(config.databaseUrl ?? '').password).toBe('p%40ss%2Fword');
    expect(config.databaseUrl).toBe('postgres://u:p%40ss%2Fword@db:5432/t');
  });

  it('says which secret file is missing or empty', () => {
    const empty = join(folder, 'empty');
    writeFileSync(empty, '\n');
    expect(() => readSecretFile('ADMIN_PASSWORD_FILE', empty)).toThrow(
      /ADMIN_PASSWORD_FILE='.*empty' is empty/,
    );
    expect(() => readSecretFile('ADMIN_PASSWORD_FILE', join(folder, 'none'))).toThrow(
      /cannot be read \(ENOENT\)/,
    );
    const wrong = { DATABASE_URL: 'postgres://u@db/t', DATABASE_PASSWORD_FILE: join(folder, 'none') };
    expect(() => loadConfig(wrong)).toThrow(/DATABASE_PASSWORD_FILE='.*none' cannot be read \(ENOENT\)/);
    expect(loadConfig({ ...wrong, DATABASE_URL: '' }).databaseUrl).toBeUndefined();
  });
});

describe('tankeeper config', () => {
  it('shows every variable with value, default and source, the password masked', () => {
    const rows = describeConfig({ DATABASE_URL: 'postgres://u:hunter1@db/t?password=hunter2', PORT: '8080' });
    expect(rows.map((row) => row.variable)).toEqual(VARIABLES.map(({ name }) => name));
    expect(rows.find((row) => row.variable === 'PORT')).toMatchObject({
      value: '8080',
      default: '5001',
      source: 'environment',
    });
    expect(rows.find((row) => row.variable === 'HOST')).toMatchObject({
      value: '127.0.0.1',
      default: '127.0.0.1',
      source: 'default',
    });
    expect(rows.find((row) => row.variable === 'TRUST_PROXY')).toMatchObject({
      value: '',
      default: '',
      source: 'unset',
    });
    expect(JSON.stringify(rows)).not.toMatch(/hunter/);
  });

  it.each(['mysql://u:hunter1@db/t', 'postgres:u:hunter1@db/t', 'u:hunter1@db/t', 'u:hun:ter@hunter@db'])(
    'masks the password in the message about a wrong URL, too: %s',
    (url) => {
      expect(() => loadConfig({ DATABASE_URL: url })).toThrow(
        expect.objectContaining({
          code: 'configuration.invalid',
          message: expect.not.stringMatching(/hunter|ter@/),
        }),
      );
    },
  );
});

const GIVEN = {
  PUBLIC_URL: 'https://tan.example.com',
  OIDC_ISSUER: 'https://login.example.com/realms/staff',
  OIDC_CLIENT_ID: 'tankeeper',
  OIDC_CLIENT_SECRET_FILE: '/etc/oidc-secret',
  OIDC_GROUPS: 'helpdesk-team=group:helpdesk, a=b=group:others',
};

const messageOf = (environment: Readonly<Record<string, string>>): string =>
  refusalOf(() => loadConfig(environment)).message;

describe('single sign-on', () => {
  it('has usual claims, a redirect below PUBLIC_URL, and groups that may contain =', () => {
    expect(loadConfig(GIVEN).singleSignOn).toEqual({
      issuer: 'https://login.example.com/realms/staff',
      clientId: 'tankeeper',
      clientSecretFile: '/etc/oidc-secret',
      clientAuthentication: 'auto',
      redirectUrl: 'https://tan.example.com/admin/sign-in/oidc/callback',
      scopes: 'openid profile email',
      nameClaim: 'preferred_username',
      groupsClaim: 'groups',
      groups: new Map([
        ['helpdesk-team', 'helpdesk'],
        ['a=b', 'others'],
      ]),
      lifetime: 3600,
    });
  });

  it('maps groups of directories, whose names have commas', () => {
    const desk = 'CN=TAN-Helpdesk,OU=Gruppen,DC=bank,DC=test';
    const given = `${desk}=group:helpdesk, CN=Doe\\, John,OU=x=group:b ,plain=group:c`;
    expect(loadConfig({ ...GIVEN, OIDC_GROUPS: given }).singleSignOn?.groups).toEqual(
      new Map([
        [desk, 'helpdesk'],
        ['CN=Doe\\, John,OU=x', 'b'],
        ['plain', 'c'],
      ]),
    );
  });

  it('names all that is missing', () => {
    expect(messageOf({ OIDC_ISSUER: GIVEN.OIDC_ISSUER })).toBe(
      'OIDC_ISSUER also needs OIDC_CLIENT_ID, OIDC_CLIENT_SECRET_FILE, OIDC_GROUPS, PUBLIC_URL or OIDC_REDIRECT_URL.',
    );
  });

  it.each([
    ['OIDC_ISSUER', 'http://login.example.com'],
    ['OIDC_ISSUER', 'https://login.example.com?x=1'],
    ['OIDC_GROUPS', 'helpdesk'],
    ['OIDC_GROUPS', 'helpdesk=helpdesk'],
    ['OIDC_GROUPS', 'a=group:b,,c=group:d'],
    ['OIDC_GROUPS', 'a=group:b*'],
    ['OIDC_GROUPS', 'a=group:b,'],
    ['OIDC_GROUPS', 'CN=a,DC=b=group:c,CN=d,DC=e'],
    ['OIDC_CLIENT_AUTHENTICATION', 'private_key_jwt'],
    ['OIDC_GROUPS', 'a=group:b, a=group:c'],
    ['OIDC_REDIRECT_URL', 'http://tan.example.com/callback'],
    ['PUBLIC_URL', 'http://tan.example.com'],
    ['PUBLIC_URL', 'https://tan.example.com/path?x'],
    ['PUBLIC_URL', 'https://tan.example.com//path'],
    ['PUBLIC_URL', 'https://tan.example.com/%22'],
  ])('refuses %s=%s', (name, value) => {
    expect(messageOf({ ...GIVEN, [name]: value })).toContain(`${name}='${value}' is not allowed`);
  });
});

describe('variables that the server does not read', () => {
  it('are told of where they begin like its own', () => {
    const set = { WIRE_DIALECTS: 'x', PKCS11_COLOUR_OF_MONEY: 'x', DATADIR: 'x' };
    expect(unknownVariables(set)).toEqual(['PKCS11_COLOUR_OF_MONEY', 'WIRE_DIALECTS']);
  });

  it('are not known ones, empty ones, or those of other programs', () => {
    const known = Object.fromEntries(VARIABLES.map(({ name }) => [name, 'x']));
    const foreign = 'HOME HOSTNAME PATH LOGNAME LANG PWD NODE_ENV DATABASE_HOST PORTS'.split(' ');
    const others = Object.fromEntries(foreign.map((name) => [name, 'x']));
    expect(unknownVariables({ ...known, ...others, WIRE_DIALECTS: '', LIMIT_X: undefined })).toEqual([]);
  });
});
