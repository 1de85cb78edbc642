import { TOUR_USER, type DemoPlan } from './demo-plan.ts';
import { curlLine, shellWord } from './demo-request.ts';
import type { DemoServer } from './demo-server.ts';

export interface Introduction {
  readonly server: Pick<DemoServer, 'baseUrl' | 'adminPassword'>;
  readonly folder: string;
  readonly logFile: string;
  readonly plan: DemoPlan;
  /** The time that filling the database took. */
  readonly seconds: number;
  readonly databaseConfigured: boolean;
}

/** @returns the text before the first step */
export function introduction(facts: Introduction): string {
  const { realms, tokens } = facts.plan;
  const users = realms.reduce((sum, { logins }) => sum + logins.length, 0);
  const lines = [
    ['server', facts.server.baseUrl],
    ['database', `embedded, fresh, in ${facts.folder}; goes when the demo ends`],
    ...(facts.databaseConfigured ? [['', 'DATABASE_URL is set; the demo leaves that database alone']] : []),
    ['log', facts.logFile],
    ['login', `admin with the throw-away password ${facts.server.adminPassword}`],
    [
      'filled',
      `${realms.length} realms, ${users} users, ${tokens.length} tokens in ${facts.seconds.toFixed(1)} s`,
    ],
  ];
  return [
    'A tour of tankeeper over real HTTP. Each line that begins with $ can be pasted into a shell while the demo runs.',
    '',
    ...lines.map(([name = '', text = '']) => `  ${name.padEnd(10)}${text}`),
    '',
  ].join('\n');
}

/**
 * @param deviceFile the file of the token of the tour's virtual app
 * @returns the text after the last step
 */
export function nextSteps(
  { baseUrl, adminPassword }: Pick<DemoServer, 'baseUrl' | 'adminPassword'>,
  deviceFile: string,
): string {
  const curl = (method: 'GET' | 'POST', path: string, parameters: Readonly<Record<string, string>>): string =>
    curlLine({ method, path, parameters, asAdministrator: true }, baseUrl, adminPassword);
  const user = { user: TOUR_USER.login, realm: TOUR_USER.realm };
  const init = { type: 'ocra', genkey: '1', sharedsecret: '1', user: 'anna', realm: 'office' };
  const suggestions = [
    [
      'a challenge as a picture',
      `${curl('POST', '/ocra/request', { ...user, data: 'Hello', qr: 'png' })} -o challenge.png`,
    ],
    [
      `the app of ${TOUR_USER.login} reads it and answers`,
      `node bin/tankeeper.js device scan --state ${shellWord(deviceFile)} --png challenge.png --send`,
    ],
    ['what became of it', curl('GET', '/ocra/checkstatus', user)],
    [
      'tokens of one realm, and how many are switched off',
      curl('GET', '/monitoring/tokens', { realms: 'bank', status: 'inactive' }),
    ],
    ['a roll-out of your own: the app reads app_import', curl('POST', '/admin/init', init)],
  ];
  return [
    '',
    'The server is still running. Open its console in a browser:',
    '',
    `  ${baseUrl}/console/  admin, password ${adminPassword}`,
    '',
    'Try next:',
    '',
    ...suggestions.flatMap(([what = '', line = '']) => [`  # ${what}`, `  ${line}`]),
    '',
    'Ctrl-C ends the demo and removes all that it made.',
    '',
  ].join('\n');
}
