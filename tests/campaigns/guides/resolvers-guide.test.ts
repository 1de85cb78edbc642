import { chmod, mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { PEOPLE, person, unit } from '../../support/servers/ldap-resolver.ts';
import { findMariadb, type Mariadb, startMariadb } from '../../support/servers/mariadb.ts';
import {
  findSlapd,
  makeCertificates,
  READER,
  READER_PASSWORD,
  type Slapd,
  startSlapd,
} from '../../support/servers/slapd.ts';
import { assertSucceeded, guideCommands, GuideSandbox } from './guide-sandbox.ts';

const SQL_PASSWORD = 'read only';
const mariadbPrograms = findMariadb();
const slapdProgram = findSlapd();
const describeWithServers =
  mariadbPrograms === undefined || slapdProgram === undefined ? describe.skip : describe;

describeWithServers('docs/guides/resolvers.md', () => {
  let folder: string;
  let authority: string;
  let mariadb: Mariadb;
  let slapd: Slapd;
  let sandbox: GuideSandbox;

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'tankeeper-guide-servers-'));
    const certificates = await makeCertificates(folder);
    authority = await readFile(certificates.authorityFile, 'utf8');
    if (mariadbPrograms === undefined || slapdProgram === undefined) {
      return;
    }
    // The database's server may run under another account.
    await chmod(folder, 0o755);
    await chmod(certificates.keyFile, 0o644);
    mariadb = await startMariadb(mariadbPrograms, [
      `--ssl-ca=${certificates.authorityFile}`,
      `--ssl-cert=${certificates.certificateFile}`,
      `--ssl-key=${certificates.keyFile}`,
    ]);
    await mariadb.query(
      'CREATE DATABASE crm',
      'CREATE TABLE crm.customers (id int PRIMARY KEY, login varchar(40), active int)',
      "INSERT INTO crm.customers VALUES (1, 'anna', 1), (2, 'bert', 0)",
      `CREATE USER tan_reader@'%' IDENTIFIED BY '${SQL_PASSWORD}'`,
      'GRANT SELECT ON crm.customers TO tan_reader',
    );
    slapd = await startSlapd(slapdProgram, { entries: [unit('people'), person('carla')], certificates });
    sandbox = await GuideSandbox.start();
  });

  afterAll(async () => {
    await sandbox.remove();
    await Promise.all([mariadb.remove(), slapd.remove()]);
    await rm(folder, { recursive: true });
  });

  it('has commands that work in their order', async () => {
    await sandbox.write('/run/secrets/crm', SQL_PASSWORD);
    await sandbox.write('/run/secrets/staff', READER_PASSWORD);
    await sandbox.write('/etc/ssl/crm-ca.pem', authority);
    await sandbox.write('/etc/ssl/ldap-ca.pem', authority);
    const commands = [
      ...guideCommands('docs/guides/resolvers.md'),
      ...['resolver test people', 'resolver test staff'].map((words) => `tankeeper ${words}`),
    ];
    const run = await sandbox.run(commands, [
      ['Server=db.example.com', `Server=localhost --set Port=${mariadb.port}`],
      ['ldaps://ldap1.example.com,ldaps://ldap2.example.com', `${slapd.secureUrl},${slapd.secureUrl}`],
      ['ou=people,dc=example,dc=com', PEOPLE],
      ['cn=tankeeper,dc=example,dc=com', READER],
    ]);
    assertSucceeded(run);
    const [, people = '', staff = ''] = run.output
      .split(/^\+ tankeeper resolver test (?:people|staff)$/m)
      .slice(1);
    expect(people).toMatch(/\b1 user/);
    expect(staff).toMatch(/\b1 user/);
  });
});
