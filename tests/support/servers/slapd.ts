import { waitForPort, freePort } from './wait-for-port.ts';
import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmod, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { findSystemProgram } from './program-paths.ts';

const run = promisify(execFile);

/** Folders of Debian's system programs, which an ordinary user's PATH may lack. */
export const SUFFIX = 'dc=example,dc=org';
/** May read everything, within the size limits; the root DN would have none. */
export const READER = `cn=reader,${SUFFIX}`;
export const READER_PASSWORD = 'Lese-Recht 1';

/** An entry: attributes to their values. */
export interface LdapEntry {
  readonly dn: string;
  readonly attributes: Readonly<Record<string, string | Buffer | readonly string[]>>;
}

export interface SlapdOptions {
  readonly entries: readonly LdapEntry[];
  /** Lines of slapd.conf(5) for the database, such as `limits …`. */
  readonly configuration?: readonly string[];
  /** With TLS, on `ldaps` and by StartTLS. */
  readonly certificates?: Certificates;
}

/** Files of a certificate authority made for a test, and of a certificate by it. */
export interface Certificates {
  readonly authorityFile: string;
  readonly certificateFile: string;
  readonly keyFile: string;
}

/** An OpenLDAP server of its own: ports on 127.0.0.1, data in a temporary folder. */
export interface Slapd {
  readonly url: string;
  /** The URL with TLS; serves with certificates only. */
  readonly secureUrl: string;
  start(): Promise<void>;
  /** SIGKILL, as a crash. */
  kill(): Promise<void>;
  /** Ends the server and removes its data. */
  remove(): Promise<void>;
}

/** @returns the path of slapd; undefined, with a line on stderr, if it or a tool of its tests is not installed */
export function findSlapd(): string | undefined {
  const slapd = findSystemProgram('slapd');
  const isComplete = slapd !== undefined && findSystemProgram('openssl') !== undefined;
  if (!isComplete) {
    const missing = 'slapd and openssl are missing (Debian: apt-get install slapd openssl)';
    if (process.env.CI === 'true') {
      throw new Error(`${missing}. With CI=true that is a failure.`);
    }
    process.stderr.write(`LEFT OUT: tests of LDAP resolvers, ${missing}\n`);
  }
  return isComplete ? slapd : undefined;
}

/** Creates a server with these entries, and starts it. */
export async function startSlapd(program: string, options: SlapdOptions): Promise<Slapd> {
  const folder = await mkdtemp(join(tmpdir(), 'tankeeper-slapd-'));
  await mkdir(join(folder, 'data'), { mode: 0o700 });
  const configuration = join(folder, 'slapd.conf');
  await writeFile(configuration, configurationOf(folder, options));
  await writeFile(join(folder, 'entries.ldif'), [...BASE_ENTRIES, ...options.entries].map(ldifOf).join('\n'));
  await run(program, ['-Tadd', '-q', '-f', configuration, '-l', join(folder, 'entries.ldif')]);
  const [port, securePort] = [await freePort(), await freePort()];
  const url = `ldap://127.0.0.1:${port}`;
  const secureUrl = `ldaps://127.0.0.1:${securePort}`;
  const urls = options.certificates === undefined ? url : `${url} ${secureUrl}`;
  let child: ChildProcess | undefined;
  const server: Slapd = {
    url,
    secureUrl,
    start: async () => {
      child = spawn(program, ['-f', configuration, '-h', urls, '-d', '0'], { stdio: 'ignore' });
      await waitForPort(port, child);
    },
    kill: async () => {
      await end(child);
    },
    remove: async () => {
      await end(child);
      await rm(folder, { recursive: true, force: true });
    },
  };
  await server.start();
  return server;
}

/**
 * Makes an authority and a certificate by it.
 * @param names the subjects of the certificate, as openssl writes them
 */
export async function makeCertificates(
  folder: string,
  names = 'IP:127.0.0.1,DNS:localhost',
): Promise<Certificates> {
  const files = {
    authorityFile: join(folder, 'ca.pem'),
    certificateFile: join(folder, 'server.pem'),
    keyFile: join(folder, 'server.key'),
  };
  const authorityKey = join(folder, 'ca.key');
  const request = ['req', '-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes'];
  await run('openssl', [
    ...request,
    '-days',
    '2',
    '-subj',
    '/CN=Test authority',
    '-keyout',
    authorityKey,
    '-out',
    files.authorityFile,
  ]);
  await run('openssl', [
    ...request,
    '-days',
    '2',
    '-subj',
    '/CN=localhost',
    '-addext',
    `subjectAltName=${names}`,
    '-addext',
    'basicConstraints=critical,CA:FALSE',
    '-CA',
    files.authorityFile,
    '-CAkey',
    authorityKey,
    '-keyout',
    files.keyFile,
    '-out',
    files.certificateFile,
  ]);
  await chmod(files.keyFile, 0o600);
  return files;
}

const BASE_ENTRIES: readonly LdapEntry[] = [
  {
    dn: SUFFIX,
    attributes: { objectClass: ['top', 'dcObject', 'organization'], o: 'Example', dc: 'example' },
  },
  {
    dn: READER,
    attributes: {
      objectClass: ['organizationalRole', 'simpleSecurityObject'],
      cn: 'reader',
      userPassword: READER_PASSWORD,
    },
  },
];

function configurationOf(folder: string, { configuration = [], certificates }: SlapdOptions): string {
  const tls =
    certificates === undefined
      ? []
      : [
          `TLSCACertificateFile "${certificates.authorityFile}"`,
          `TLSCertificateFile "${certificates.certificateFile}"`,
          `TLSCertificateKeyFile "${certificates.keyFile}"`,
        ];
  return [
    ...['core', 'cosine', 'inetorgperson'].map((name) => `include /etc/ldap/schema/${name}.schema`),
    // As in Active Directory, eDirectory and elsewhere; OpenLDAP's own schema lacks the comparison.
    ...['objectGUID', 'GUID', 'objectSid', 'ownBytes'].map(
      (name, index) =>
        `attributetype ( 1.3.6.1.4.1.99999.${index + 1} NAME '${name}' EQUALITY octetStringMatch SYNTAX 1.3.6.1.4.1.1466.115.121.1.40 SINGLE-VALUE )`,
    ),
    `pidfile "${join(folder, 'slapd.pid')}"`,
    'modulepath /usr/lib/ldap',
    'moduleload back_mdb',
    // A careless server: it accepts a name without a password as an anonymous bind.
    'allow bind_anon_dn',
    ...tls,
    'database mdb',
    `suffix "${SUFFIX}"`,
    `directory "${join(folder, 'data')}"`,
    'maxsize 268435456',
    'dbnosync',
    'index objectClass,uid,entryUUID eq',
    'access to attrs=userPassword by anonymous auth by * none',
    `access to dn.subtree="ou=open,${SUFFIX}" by * read`,
    `access to * by dn.exact="${READER}" read by * auth`,
    ...configuration,
    '',
  ].join('\n');
}

/** Encodes values in base 64, so that any text can be a value. */
function ldifOf({ dn, attributes }: LdapEntry): string {
  const lines = Object.entries(attributes).flatMap(([name, values]) =>
    (typeof values === 'string' || Buffer.isBuffer(values) ? [values] : values).map((value) =>
      ldifLine(name, value),
    ),
  );
  return [ldifLine('dn', dn), ...lines, ''].join('\n');
}

function ldifLine(name: string, value: string | Buffer): string {
  return `${name}:: ${Buffer.from(value as string).toString('base64')}`;
}

async function end(child: ChildProcess | undefined): Promise<void> {
  if (child?.exitCode === null && child.signalCode === null) {
    child.kill('SIGKILL');
    await once(child, 'exit');
  }
}
