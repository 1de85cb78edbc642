import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import type { SystemAccount } from '../../../src/embedded-postgres/programs.ts';

/** Speaks just enough of PostgreSQL's protocol to be told whether it is let in, and needs nothing but Node. */
const VISITOR = `
const [path, role] = process.argv.slice(1);
const parameters = Buffer.from(['user', role, 'database', 'postgres', '', ''].join('\\0').slice(0, -1) + '\\0');
const head = Buffer.alloc(8);
head.writeInt32BE(8 + parameters.length, 0);
head.writeInt32BE(196608, 4);
const say = (text) => { console.log(text); process.exit(); };
const socket = require('node:net').connect(path, () => socket.write(Buffer.concat([head, parameters])));
socket.once('error', ({ code }) => say(code));
socket.once('data', (answer) => {
  if (answer[0] === 0x52) say(answer.readInt32BE(5) === 0 ? 'admitted' : 'asked for a password');
  say(/\\0C([0-9A-Z]{5})\\0/.exec(answer.toString('latin1'))?.[1] ?? 'no code');
});
`;

/**
 * Has a process of that account connect to the socket in the folder.
 * @returns `admitted`, or the code of the error, of the system or of PostgreSQL
 */
export async function visitSocket(folder: string, role: string, account: SystemAccount): Promise<string> {
  const { stdout } = await promisify(execFile)(
    process.execPath,
    ['-e', VISITOR, `${folder}/.s.PGSQL.5432`, role],
    { ...account, cwd: '/', env: {} },
  );
  return stdout.trim();
}
