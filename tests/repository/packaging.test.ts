import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import {
  copyFileSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { createServer, maxHeaderSize } from 'node:http';
import { BlockList } from 'node:net';
import { dirname, join } from 'node:path';
import { parseEnv } from 'node:util';
import { describe, expect, it } from '@jest/globals';
import { environmentExample } from '../../scripts/configuration-reference.ts';
import { declaredEndpoints } from '../../scripts/described-interface.ts';
import { loadConfig } from '../../src/config/config.ts';
import { VARIABLES } from '../../src/config/variables.ts';
import { codeBlocks } from './markdown.ts';
import { temporaryFolder } from '../support/values/temporary-folder.ts';
import { isInRepository, listRepositoryFiles, readRepositoryFile, REPOSITORY } from './repository-file.ts';

const BLOCKED_BY_FETCH = 10_080;

const root = temporaryFolder();

interface LockedPackage {
  readonly resolved?: string;
  readonly link?: boolean;
  readonly optionalDependencies?: Readonly<Record<string, string>>;
}

interface Manifest {
  readonly bin: Readonly<Record<string, string>>;
  readonly engines: Readonly<Record<string, string>>;
  readonly license: string;
  readonly peerDependencies: Readonly<Record<string, string>>;
  readonly peerDependenciesMeta: unknown;
}

const names = VARIABLES.map(({ name }) => name);

describe('.env.example', () => {
  const example = readRepositoryFile('.env.example');

  it('lists exactly the variables that are read (npm run docs:reference)', () => {
    expect(example).toBe(environmentExample());
    expect(Object.keys(parseEnv(example)).sort()).toEqual([...names].sort());
  });

  it('means the same as nothing at all', () => {
    const environment = Object.fromEntries(
      Object.entries(parseEnv(example)).map(([name, value]) => [name, value ?? '']),
    );
    expect(loadConfig(environment)).toEqual(loadConfig({}));
  });
});

describe('docker-compose.yml', () => {
  const compose = readRepositoryFile('docker-compose.yml');
  const sections = sectionsOf(compose);
  const services = sectionsOf(sections.get('services') ?? '', '  ');
  const server = services.get('tankeeper') ?? '';

  it('runs the server and its database, each restricted to what it needs', () => {
    expect([...services.keys()]).toEqual(['tankeeper', 'database']);
    for (const service of services.values()) {
      expect(service).toMatch(/^ {4}read_only: true$/m);
      expect(service).toMatch(/^ {4}cap_drop: \[ALL\]$/m);
      expect(service).toMatch(/^ {4}security_opt: \['no-new-privileges:true'\]$/m);
      expect(service).toMatch(/^ {4}user: (?!.*\b(?:root|0)\b)\S+$/m);
      expect(service).toMatch(/^ {4}healthcheck:$/m);
      expect(service).toMatch(/^ {4}volumes:\n {6}- (?:key|database):\//m);
    }
    expect(server).toMatch(/condition: service_healthy/);
    expect(sections.get('volumes')).toMatch(/^\n? {2}key:\n {2}database:\n*$/);
  });

  it('is reachable from this host alone', () => {
    const ports = [...compose.matchAll(/^ {4}ports:\n((?: {6}.*\n)+)/gm)].flatMap(([, list = '']) =>
      list.trim().split('\n'),
    );
    expect(ports).toEqual(["- '127.0.0.1:${PORT:-5001}:5001'"]);
  });

  it('sets or passes on every variable', () => {
    const environment = sectionsOf(server, '    ').get('environment') ?? '';
    const passed = new Map(
      [...environment.matchAll(/^ {6}([A-Z][A-Z0-9_]*): (.*)$/gm)].map(([, name = '', value = '']) => [
        name,
        value,
      ]),
    );
    expect([...passed.keys()].sort()).toEqual([...names].sort());
    for (const [name, value] of passed) {
      expect(value).not.toMatch(new RegExp(`\\$\\{(?!${name}:-)`));
    }
  });

  it('sets what the server accepts', () => {
    const environment = sectionsOf(server, '    ').get('environment') ?? '';
    const fixed = [...environment.matchAll(/^ {6}([A-Z][A-Z0-9_]*): '?([^$\n]*?)'?$/gm)]
      .map(([, name = '', value = '']) => [name, value] as const)
      .filter(([name]) => !name.endsWith('PASSWORD_FILE'));
    expect(fixed.length).toBeGreaterThan(3);
    expect(loadConfig(Object.fromEntries(fixed)).host).toBe('0.0.0.0');
  });

  it('takes its passwords from the files that docker/make-secrets makes', () => {
    const files = [...(sections.get('secrets') ?? '').matchAll(/file: \.\/(.*)$/gm)].map(
      ([, file = '']) => file,
    );
    const folder = mkdtempSync(join(root, 'secrets-'));
    const script = join(REPOSITORY, 'docker/make-secrets');
    execFileSync(script, ['secrets'], { cwd: folder });
    expect(
      readdirSync(join(folder, 'secrets'))
        .map((name) => `secrets/${name}`)
        .sort(),
    ).toEqual([...files].sort());
    const first = files.map((file) => readFileSync(join(folder, file), 'utf8'));
    for (const password of first) {
      expect(password).toMatch(/^[\w-]{32}\n$/);
    }
    expect(new Set(first).size).toBe(files.length);
    expect(statSync(join(folder, 'secrets')).mode & 0o777).toBe(0o700);
    execFileSync(script, ['secrets'], { cwd: folder });
    expect(files.map((file) => readFileSync(join(folder, file), 'utf8'))).toEqual(first);
  });
});

describe('Dockerfile', () => {
  const dockerfile = readRepositoryFile('Dockerfile').replace(/\\\n\s*/g, '');
  const stages = dockerfile.split(/^FROM /m);
  const image = stages.at(-1) ?? '';

  it('copies only what .dockerignore lets in, and what is there', () => {
    const allowed = [...readRepositoryFile('.dockerignore').matchAll(/^!(.+)$/gm)].map(([, path]) => path);
    const copied = [...dockerfile.matchAll(/^COPY (?!--from)(.+) \S+$/gm)].flatMap(([, list = '']) =>
      list.split(' '),
    );
    expect(copied.filter((path) => !allowed.includes(path))).toEqual([]);
    expect(allowed.filter((path) => !copied.includes(path ?? ''))).toEqual([]);
    expect(copied.filter((path) => !isInRepository(path))).toEqual([]);
  });

  it('runs the built server as an ordinary user and asks for its health without further programs', () => {
    expect(image).toMatch(/^USER 1000:1000$/m);
    expect(image).toMatch(/^CMD \["node", "bin\/tankeeper\.js", "serve"\]$/m);
    expect(image).toMatch(/^HEALTHCHECK .*CMD \["node", "-e", "require\('http'\)\.get\(.*\/readyz/m);
    expect(image).toMatch(/^COPY --from=build \/app\/dist /m);
    // In the mode of the checkout, which may be its owner's alone.
    expect(image).not.toMatch(/^COPY (?!--from)/m);
    expect(image).not.toMatch(/\bsrc\b/);
  });

  it.each(['127.0.0.1', '0.0.0.0', '127.0.0.2'])('is healthy on any port of HOST=%s', async (HOST) => {
    const script = /"-e", "([^"]+)"/.exec(image)?.[1] ?? '';
    const health = async (PORT: string): Promise<unknown> => {
      const child = spawn(process.execPath, ['-e', script], { env: { HOST, PORT }, stdio: 'ignore' });
      return (await once(child, 'exit'))[0];
    };
    const server = createServer((_request, response) => response.end()).listen(BLOCKED_BY_FETCH, HOST);
    await once(server, 'listening');
    const healthy = await health(String(BLOCKED_BY_FETCH));
    server.close();
    expect([healthy, await health('9')]).toEqual([0, 1]);
  });

  it('sets only variables that exist', () => {
    const set = [...(/^ENV (.*)$/m.exec(image)?.[1] ?? '').matchAll(/([A-Z][A-Z0-9_]*)=/g)].map(
      ([, name = '']) => name,
    );
    expect(set).toContain('NODE_ENV');
    expect(set.filter((name) => !['NODE_ENV', 'HOME'].includes(name) && !names.includes(name))).toEqual([]);
  });
});

describe('package.json and its lock', () => {
  const manifest = JSON.parse(readRepositoryFile('package.json')) as Manifest;
  const lock = JSON.parse(readRepositoryFile('package-lock.json')) as {
    readonly packages: Readonly<Record<string, LockedPackage>>;
  };
  const locked = Object.entries(lock.packages);

  it('name pkcs11js in the version that messages name, and install it for nobody who does not ask', () => {
    const [, named] = /'pkcs11js@([\d.]+)'/.exec(readRepositoryFile('src/keys/pkcs11-process.ts')) ?? [];
    expect(manifest.peerDependencies).toEqual({ pkcs11js: named });
    expect(manifest.peerDependenciesMeta).toEqual({ pkcs11js: { optional: true } });
    expect(locked.map(([path]) => path)).not.toContain('node_modules/pkcs11js');
  });

  it('name no registry, so that an install asks the one that is configured', () => {
    expect(locked.filter(([, { resolved }]) => resolved !== undefined)).toEqual([]);
    expect(readRepositoryFile('package-lock.json')).not.toMatch(/registry\.|\.tgz/);
  });

  it('hold the optional packages of every platform, without which `npm ci` refuses the lock', () => {
    const missing = locked.flatMap(([path, { optionalDependencies = {} }]) =>
      Object.keys(optionalDependencies).filter((name) => !isLocked(lock.packages, path, name)),
    );
    expect(missing).toEqual([]);
  });
});

describe('the npm package', () => {
  it('holds no file that an operator has put beside the compose file', () => {
    const checkout = mkdtempSync(join(root, 'packed-'));
    const files = ['.env', 'certificates/server.key', 'backups/a.age', 'docker-compose.yml'];
    copyFileSync(join(REPOSITORY, 'package.json'), join(checkout, 'package.json'));
    for (const file of files) {
      const place = join(checkout, 'deploy/compose', file);
      mkdirSync(dirname(place), { recursive: true });
      writeFileSync(place, 'x');
    }
    const words = ['pack', '--dry-run', '--json', '--ignore-scripts'];
    const [packed] = JSON.parse(
      execFileSync('npm', words, { cwd: checkout, encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }),
    ) as [{ readonly files: readonly { readonly path: string }[] }];
    expect(packed.files.map(({ path }) => path).filter((path) => path.startsWith('deploy/'))).toEqual([
      'deploy/compose/docker-compose.yml',
    ]);
  });
});

describe('the proxies of the guides', () => {
  it.each([
    ['deploy/compose/Caddyfile', /response_header_timeout (\d+)s/],
    ['docs/examples/nginx.conf', /proxy_read_timeout (\d+)s/],
    ['docs/examples/haproxy.cfg', /timeout client (\d+)s/],
    ['docs/examples/haproxy.cfg', /timeout server (\d+)s/],
    ['docs/guides/operating.md', /answers after up to (\d+)\sseconds/],
    ['docs/guides/deployment.md', /proxy-read-timeout: '(\d+)'/],
  ])('wait longer for an answer than a request may wait for a transaction: %s, %s', (file, limit) => {
    const source = readRepositoryFile('src/challenges/status-wait-service.ts');
    const [, longest] = /^const MAX_WAIT = (\d+);$/m.exec(source) ?? [];
    const [, seconds = '0'] = limit.exec(readRepositoryFile(file)) ?? [];
    expect(Number(seconds)).toBeGreaterThan(Number(longest));
  });

  it.each([
    ['deploy/compose/Caddyfile', /max_size (\d+)MB/, 1_000 ** 2],
    ['docs/examples/nginx.conf', /client_max_body_size (\d+)m;/, 1_024 ** 2],
    ['docs/guides/operating.md', /bodies of (\d+)\sMiB/, 1_024 ** 2],
    ['docs/guides/deployment.md', /proxy-body-size: (\d+)m/, 1_024 ** 2],
  ])('admit the largest body that an endpoint takes: %s', (file, limit, unit) => {
    const largest = Math.max(...declaredEndpoints().map(({ large }) => large?.bytes ?? 0));
    const [, size = '0'] = limit.exec(readRepositoryFile(file)) ?? [];
    expect(Number(size) * unit).toBeGreaterThanOrEqual(largest);
  });

  it.each([
    ['docs/examples/nginx.conf', /large_client_header_buffers \d+ (\d+)k;/],
    ['docs/guides/operating.md', /headers of (\d+)\sKiB/],
    ['docs/guides/deployment.md', /large-client-header-buffers: \d+ (\d+)k/],
  ])('admit the longest line that the server reads: %s', (file, limit) => {
    const [, size = '0'] = limit.exec(readRepositoryFile(file)) ?? [];
    expect(Number(size) * 1_024).toBeGreaterThanOrEqual(maxHeaderSize);
  });
});

describe('deploy/compose', () => {
  it('keeps the address of the proxy, which is believed, from the services that start before it', () => {
    const compose = readRepositoryFile('deploy/compose/docker-compose.yml');
    const proxies = [...compose.matchAll(/\$\{PROXY_ADDRESS:-([\d.]+)\}/g)].map(
      ([, address]) => address ?? '',
    );
    const range = /ip_range: \$\{FRONT_RANGE:-([\d.]+)\/(\d+)\}/.exec(compose);
    const dynamic = new BlockList();
    dynamic.addSubnet(range?.[1] ?? '', Number(range?.[2]));
    expect(new Set(proxies).size).toBe(1);
    expect(proxies.filter((address) => dynamic.check(address))).toEqual([]);
  });

  it('keeps the data of PostgreSQL in its volume, whatever path is set', () => {
    const compose = readRepositoryFile('deploy/compose/docker-compose.yml');
    const [, mounted] = /^ {6}- database:(.+)$/m.exec(compose) ?? [];
    const [, data] = /^ {6}PGDATA: (.+)$/m.exec(compose) ?? [];
    expect(mounted).toMatch(/^\$\{POSTGRES_PATH:-/);
    expect(data).toBe(mounted);
  });
});

describe('the secrets of an operator', () => {
  it.each([
    ['One host with containers', ['encryption.key', 'database.dump']],
    ['Kubernetes', ['secrets/encryption.key']],
  ])('are readable for nobody else, and outside of the checkout, by the guide: %s', (heading, written) => {
    const home = realpathSync(mkdtempSync(join(root, 'home-')));
    const checkout = join(home, 'checkout');
    for (const file of ['docker/make-secrets', 'deploy/compose/.env.example']) {
      mkdirSync(dirname(join(checkout, file)), { recursive: true });
      copyFileSync(join(REPOSITORY, file), join(checkout, file));
    }
    const given = filesBelow(home);
    mkdirSync(join(home, 'tankeeper'));
    writeFileSync(join(home, 'tankeeper/identity.txt'), '', { mode: 0o600 });
    const guide = readRepositoryFile('docs/guides/deployment.md');
    const [section = ''] = guide.split(`\n## ${heading}\n`)[1]?.split('\n## ') ?? [];
    const commands = codeBlocks(section).filter(({ language }) => language === 'sh');
    const standIns =
      'set -e; umask 022; compose() { echo x; }; sudo() { :; }; kubectl() { :; }; docker() { echo healthy; }';
    execFileSync('bash', ['-c', [standIns, ...commands.map(({ text }) => text)].join('\n')], {
      cwd: checkout,
      env: { PATH: process.env.PATH, HOME: home },
      stdio: 'pipe',
    });
    const files = filesBelow(home).filter((file) => !given.includes(file));
    const isOpen = (path: string): boolean => (statSync(path).mode & 0o077) !== 0;
    expect(files).toEqual(expect.arrayContaining(written.map((file) => `tankeeper/${file}`)));
    expect(files.filter((file) => isOpen(join(home, file)) && isOpen(dirname(join(home, file))))).toEqual(
      files.filter((file) => file.endsWith('/.env')),
    );
    // The compose file names these two.
    expect(files.filter((file) => file.startsWith('checkout/') && !file.endsWith('/.env')).sort()).toEqual(
      heading === 'Kubernetes'
        ? []
        : ['checkout/secrets/admin_password', 'checkout/secrets/database_password'],
    );
  });

  // prettier-ignore
  it.each([
    'encryption.key', 'old/encryption.key', 'identity.txt', 'identity.age', 'backup.age', 'encKey',
    'database.dump', 'linotp.sql', 'keys.csv', 'more-keys.xml', 'transport-key.txt', 'server.pem',
    'password', 'portal-password', 'transport-password.txt', 'backup-passphrase', '.env',
    'secrets/database_password', 'deploy/compose/backups/a.age', 'data/postgresql/PG_VERSION',
  ])('are ignored by git where they stand in the checkout: %s', (name) => {
    const checkout = mkdtempSync(join(root, 'ignored-'));
    copyFileSync(join(REPOSITORY, '.gitignore'), join(checkout, '.gitignore'));
    execFileSync('git', ['init', '--quiet', checkout]);
    const asked = spawnSync('git', ['check-ignore', '--quiet', name], { cwd: checkout });
    expect(asked.status).toBe(0);
  });
});

describe('deploy/systemd/command', () => {
  it('runs commands with the variables of the service, before which those of the caller go', () => {
    const folder = mkdtempSync(join(root, 'command-'));
    const program = join(folder, 'program.js');
    writeFileSync(program, 'console.log(JSON.stringify([process.env, process.argv.slice(2)]))');
    writeFileSync(
      join(folder, 'environment'),
      '# NO=1\nDATABASE_URL=postgres://u@h/d?x=1#y\n\nPUBLIC_URL="https://a b"\nSERVE_APP=\'$(id) `id`\'\nPORT=1\nnot this=2\nA-B=3\nSERVE_CONSOLE=off',
    );
    const command = readRepositoryFile('deploy/systemd/command')
      .replace('account=tankeeper', 'account=$(id -un)')
      .replace('/etc/tankeeper/environment', join(folder, 'environment'))
      .replace(/program=.*/, `program=${program}`);
    const { PATH } = process.env;
    const run = (env: NodeJS.ProcessEnv): unknown =>
      JSON.parse(
        execFileSync('sh', ['-c', command, 'tankeeper', 'token', 'a b'], {
          env: { PATH, ...env },
          encoding: 'utf8',
        }),
      );
    const expected = {
      DATABASE_URL: 'postgres://u@h/d?x=1#y',
      PUBLIC_URL: 'https://a b',
      SERVE_APP: '$(id) `id`',
      PORT: '7',
      SERVE_CONSOLE: 'off',
      DATA_DIR: '/var/lib/tankeeper',
      HOME: '/var/lib/tankeeper',
      NODE_ENV: 'production',
    };
    expect(run({ PORT: '7' })).toEqual([expect.objectContaining(expected), ['token', 'a b']]);
  });
});

describe('the scripts', () => {
  const steps = listRepositoryFiles('.ci/steps');
  it.each(['.ci/run', '.ci/containers/build', '.ci/containers/run', 'docker/make-secrets', ...steps])(
    '%s can be executed and stops at the first error',
    (path) => {
      expect(statSync(join(REPOSITORY, path)).mode & 0o111).toBe(0o111);
      expect(readRepositoryFile(path)).toMatch(
        /^#!\/usr\/bin\/env bash\n(?:#.*\n)*(?:set -euo pipefail|\. "\$\(dirname "\$0"\)\/(?:(?:\.\.\/)+step|engine)")\n/,
      );
      execFileSync('bash', ['-n', join(REPOSITORY, path)]);
    },
  );

  it.each(readRepositoryFile('.ci/landing-campaigns').match(/^[^#\n].*$/gm) ?? [])('%s is there', (path) => {
    expect(isInRepository(path)).toBe(true);
  });

  it.each(['.ci/step', '.ci/containers/engine'])(
    '%s, with which others begin, stops at the first error',
    (path) => {
      expect(readRepositoryFile(path)).toMatch(/^(?:#.*\n)*set -E?euo pipefail\n/);
    },
  );
});

/** @returns the values under each key of one level of a YAML file */
function sectionsOf(text: string, indent = ''): ReadonlyMap<string, string> {
  const parts = text.split(new RegExp(`^${indent}(?=[a-z_]+:)`, 'm')).slice(1);
  return new Map(
    parts.map((part) => {
      const colon = part.indexOf(':');
      return [part.slice(0, colon), part.slice(colon + 1)];
    }),
  );
}

/** True if Node would find the package from there: beside it, or in a folder above. */
function isLocked(packages: Readonly<Record<string, LockedPackage>>, from: string, name: string): boolean {
  const place = `${from === '' ? '' : `${from}/`}node_modules/${name}`;
  if (place in packages) {
    return true;
  }
  const above = from.lastIndexOf('/node_modules/');
  return from !== '' && isLocked(packages, above === -1 ? '' : from.slice(0, above), name);
}

function filesBelow(folder: string): readonly string[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((path) =>
    statSync(join(folder, path)).isFile(),
  );
}
