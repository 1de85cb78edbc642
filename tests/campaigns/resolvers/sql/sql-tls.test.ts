import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { type AddressInfo, connect, createServer, type Server } from 'node:net';
import { join } from 'node:path';
import { TLSSocket } from 'node:tls';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { eventualRefusal } from '../../../support/values/refusal.ts';
import { findMariadb, startMariadb } from '../../../support/servers/mariadb.ts';
import { type Certificates, makeCertificates } from '../../../support/servers/slapd.ts';
import { type Reach, reachOf, sqlSettings, sqlUsers } from '../../../support/servers/sql-resolver.ts';
import { createTestDatabase } from '../../../support/database/test-database.ts';
import { temporaryFolder } from '../../../support/values/temporary-folder.ts';

const mariadbPrograms = findMariadb();
const MAP = '{"userid": "id", "username": "user"}';

/** A database with one user, which speaks TLS on this machine. */
interface Place {
  readonly reach: Reach;
  readonly password: string;
  close(): Promise<void>;
}

/** The PostgreSQL of the tests, behind something that speaks TLS for it, as PostgreSQL begins that. */
async function postgresPlace(files: Certificates): Promise<Place> {
  const database = await createTestDatabase({ schema: 'empty' });
  await database.database.knex.raw('CREATE TABLE people AS SELECT 1 AS id, \'anna\' AS "user"');
  const { reach, password } = reachOf(database.url);
  const [key, cert] = [await readFile(files.keyFile), await readFile(files.certificateFile)];
  const isPath = reach.Server?.startsWith('/') === true;
  const server: Server = createServer((socket) => {
    socket.on('error', () => undefined);
    socket.once('data', () => {
      socket.write('S');
      const plain = new TLSSocket(socket, { isServer: true, key, cert });
      const behind = isPath
        ? connect(join(reach.Server ?? '', `.s.PGSQL.${reach.Port}`))
        : connect(Number(reach.Port ?? 5432), reach.Server ?? '');
      plain.on('error', () => behind.destroy());
      behind.on('error', () => plain.destroy());
      plain.pipe(behind).pipe(plain);
    });
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    reach: { ...reach, Server: '127.0.0.1', Port: String(port) },
    password,
    close: async () => {
      server.close();
      await database.drop();
    },
  };
}

async function mariadbPlace(files: Certificates): Promise<Place> {
  const mariadb = await startMariadb(mariadbPrograms ?? { server: '', installer: '' }, [
    `--ssl-ca=${files.authorityFile}`,
    `--ssl-cert=${files.certificateFile}`,
    `--ssl-key=${files.keyFile}`,
  ]);
  await mariadb.query(
    'CREATE DATABASE directory',
    "CREATE USER reader@'%' IDENTIFIED BY 'geheim' REQUIRE SSL",
    "GRANT SELECT ON directory.* TO reader@'%'",
    "CREATE TABLE directory.people AS SELECT 1 AS id, 'anna' AS user",
  );
  const reach = {
    Driver: 'mysql',
    Server: 'localhost',
    Port: String(mariadb.port),
    User: 'reader',
    Database: 'directory',
  };
  return { reach, password: 'geheim', close: () => mariadb.remove() };
}

const KINDS = [
  ['PostgreSQL', postgresPlace],
  ['MariaDB', mariadbPlace],
] as const;

describe.each(KINDS.filter(([name]) => name !== 'MariaDB' || mariadbPrograms !== undefined))(
  'the certificate of %s',
  (_name, open) => {
    const folder = temporaryFolder();
    let files: Certificates;
    let authority: string;
    let place: Place;

    const outcome = async (changes: Reach): Promise<string | number> => {
      const settings = sqlSettings(place.reach, { Map: MAP, ...changes });
      const people = sqlUsers({ settings, password: place.password });
      try {
        return await people.count();
      } catch {
        return (await eventualRefusal(people.count())).message.replace(/^.*: /, '');
      } finally {
        await people.close();
      }
    };

    beforeAll(async () => {
      files = await makeCertificates(folder);
      authority = await readFile(files.authorityFile, 'utf8');
      place = await open(files);
    });

    afterAll(() => place.close());

    it('is trusted when it is of the authority that is named, and for this server', async () => {
      expect(await outcome({ conParams: 'sslmode=verify-full', CACERTIFICATE: authority })).toBe(1);
      expect(await outcome({ conParams: 'sslmode=verify-ca', CACERTIFICATE: authority })).toBe(1);
    });

    it.each(['verify-full', 'verify-ca'])('of an unknown authority is refused by %s', async (mode) => {
      expect(await outcome({ conParams: `sslmode=${mode}` })).toBe(
        'the certificate of its database is not trusted, or for another host',
      );
    });

    it('is not looked at where encryption alone is asked for', async () => {
      expect(await outcome({ conParams: 'sslmode=require' })).toBe(1);
    });

    it('for another host is refused by verify-full only', async () => {
      // The authority's own certificate names no host.
      const elsewhere = await open({
        ...files,
        certificateFile: files.authorityFile,
        keyFile: join(folder, 'ca.key'),
      });
      try {
        const named = { ...elsewhere.reach, CACERTIFICATE: authority };
        expect(await outcome({ ...named, conParams: 'sslmode=verify-ca' })).toBe(1);
        expect(await outcome({ ...named, conParams: 'sslmode=verify-full' })).toBe(
          'the certificate of its database is not trusted, or for another host',
        );
      } finally {
        await elsewhere.close();
      }
    });
  },
);
