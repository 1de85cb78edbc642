import express, { type Request } from 'express';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import pg from 'pg';

import { READ_STATEMENT, SETTLE_STATEMENT } from './bare-statements.ts';

/** The yardstick of Express and pg: a process of its own, which tells its port to its parent. */

const [connectionString] = process.argv.slice(2);
const pool = new pg.Pool({ connectionString, max: 10 });

const app = express();
app.get('/constant', (_request, response) => {
  response.json({ result: true });
});
app.get('/select', async (_request, response) => {
  const { rows } = await pool.query({ name: 'one', text: 'SELECT 1 AS one' });
  response.json({ result: rows.length === 1 });
});
app.post(
  '/check',
  express.urlencoded({ extended: false }),
  async (request: Request<unknown, unknown, { transactionid: string }>, response) => {
    const { rows } = await pool.query<{ challenge_id: string; closed_by: string | null }>({
      name: 'read',
      text: READ_STATEMENT,
      values: [request.body.transactionid],
    });
    const [seen] = rows;
    const { rowCount } = await pool.query({
      name: 'settle',
      text: SETTLE_STATEMENT,
      values: [seen?.challenge_id],
    });
    response.json({ result: rowCount === 1 });
  },
);

const server = app.listen(0, '127.0.0.1');
server.keepAliveTimeout = 60_000;
await once(server, 'listening');
process.send?.((server.address() as AddressInfo).port);
process.on('SIGINT', () => undefined);
await once(process, 'disconnect');
process.exit(0);
