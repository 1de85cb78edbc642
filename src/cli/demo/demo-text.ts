import { TOUR_USER, type DemoPlan } from './demo-plan.ts';
import { curlLine } from './curl-line.ts';
import type { DemoServer } from './demo-server.ts';

export interface Introduction {
  readonly server: Pick<DemoServer, 'baseUrl' | 'adminPassword'>;
  readonly folder: string;
  readonly logFile: string;
  readonly plan: DemoPlan;
  /** How long it took to fill the database. */
  readonly seconds: number;
  readonly databaseConfigured: boolean;
}

/** @returns what the demo says before its first step */
export function introduction(given: Introduction): string {
  const { realms, tokens } = given.plan;
  const users = realms.reduce((sum, { logins }) => sum + logins.length, 0);
  const lines = [
    ['server', given.server.baseUrl],
    ['database', `embedded, fresh, in ${given.folder}; goes when the demo ends`],
    ...(given.databaseConfigured ? [['', 'DATABASE_URL is set; the demo leaves that database alone']] : []),
    ['log', given.logFile],
    ['login', `admin with the throw-away password ${given.server.adminPassword}`],
    [
      'filled',
      `${realms.length} realms, ${users} users, ${tokens.length} tokens in ${given.seconds.toFixed(1)} s`,
    ],
  ];
  return [
    'A tour of tankeeper over real HTTP. Each line that begins with $ can be pasted into a shell while the demo runs.',
    '',
    ...lines.map(([name = '', text = '']) => `  ${name.padEnd(10)}${text}`),
    '',
  ].join('\n');
}

/** @returns what the demo says after its last step */
export function whatNext({ baseUrl, adminPassword }: Pick<DemoServer, 'baseUrl' | 'adminPassword'>): string {
  const curl = (method: 'GET' | 'POST', path: string, parameters: Readonly<Record<string, string>>): string =>
    `  ${curlLine({ method, path, parameters, asAdministrator: true }, baseUrl, adminPassword)}`;
  return [
    '',
    'The server is still running. Try next:',
    '',
    '  a picture of a challenge, for a real app or for `tankeeper device scan --png challenge.png`',
    `${curl('POST', '/ocra/request', { user: TOUR_USER.login, realm: TOUR_USER.realm, data: 'Hello', qr: 'png' })} -o challenge.png`,
    '  the tokens of one realm, the switched-off ones apart',
    curl('GET', '/monitoring/tokens', { realms: 'bank', status: 'inactive' }),
    "  a token's transactions",
    curl('GET', '/ocra/checkstatus', { user: TOUR_USER.login, realm: TOUR_USER.realm }),
    '  a roll-out of your own: then `tankeeper device scan` with the app_import of the answer',
    curl('POST', '/admin/init', {
      type: 'ocra',
      genkey: '1',
      sharedsecret: '1',
      user: 'anna',
      realm: 'office',
    }),
    '',
    'Ctrl-C ends the demo and removes all that it made.',
    '',
  ].join('\n');
}
