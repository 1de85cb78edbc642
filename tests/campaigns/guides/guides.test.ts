import { afterEach, describe, expect, it } from '@jest/globals';
import { generateX25519Identity, identityToRecipient } from 'age-encryption';
import { listRepositoryFiles } from '../../repository/repository-file.ts';
import {
  FIGURE_6,
  FIGURE_7,
  PASSWORD as KEY_PASSWORD,
  PRE_SHARED_KEY,
} from '../../support/values/pskc-documents.ts';
import { WebhookReceiver } from '../../support/servers/webhook-receiver.ts';
import { issuerLogo } from '../../support/values/qr-code.ts';
import { assertSucceeded, guideCommands, GuideSandbox, PASSWORD, type Replacement } from './guide-sandbox.ts';

const ADMINISTRATION = ['resolver add staff', 'realm add office --resolvers staff', 'user add anna staff'];

const TAN_SERVER = 'https://tankeeper.example.org';

/** The test's database has settings that a server must not have. */
const DOCTOR: Replacement = [/^(tankeeper (?:--json )?doctor)$/g, '$1 || [ $? = 2 ]'];

/** The preconditions of a guide, and the stand-ins for the values that readers fill in. */
interface Guide {
  /** `tankeeper` commands without that word. */
  readonly before?: readonly string[];
  /** Serials of tokens of anna. */
  readonly tokens?: readonly string[];
  readonly replace?: readonly Replacement[];
  readonly prepare?: (sandbox: GuideSandbox) => Promise<readonly Replacement[] | undefined>;
  /** Commands that show what the guide has achieved. */
  readonly after?: readonly string[];
  /** The output that all these commands must have printed. */
  readonly prints: readonly RegExp[];
  readonly variables?: Readonly<Record<string, string>>;
}

const GUIDES: Readonly<Record<string, Guide>> = {
  administration: {
    before: [...ADMINISTRATION, 'admin add probe --password-file @admin-password'],
    tokens: ['OCRA00011A2B'],
    prints: [/"status": ?true/],
  },
  auditing: {
    before: [...ADMINISTRATION],
    tokens: ['LSQR0001'],
    prepare: async (sandbox) => {
      await writeLog(sandbox);
      const [checkpoint = ''] = /[0-9a-f]{64}/.exec(sandbox.server.output()) ?? [];
      const issued = await sandbox.run([
        `curl -u admin ${TAN_SERVER}/ocra/request -d serial=LSQR0001 -d data=1`,
      ]);
      const [, transaction = ''] = /"transactionid": "(\w+)"/.exec(issued.output) ?? [];
      return [
        ['3f9c0d2ab4e1875566f0', transaction],
        [/5d0c1ae0[0-9a-f]{56}/g, checkpoint],
        [
          'U2V2ZW4tdGltZXMtc2V2ZW4tYW5kLWZvcnR5LW5pbmU=',
          `"$(tankeeper audit verify | sed -n 's/.*installation key //p' | head -1)"`,
        ],
      ];
    },
    prints: [/LSQR0001/, / issued /, /all as they were sealed/, /rows exported: \d+/],
  },
  authentication: {
    before: [...ADMINISTRATION, 'admin add anna --password-file @admin-password'],
    tokens: ['QR1', 'QR17'],
    variables: { PUBLIC_URL: 'https://tan.example.com' },
    replace: [
      ['second-factor set anna QR17', '$& --yes'],
      ['second-factor remove anna', '$& --yes'],
    ],
    prepare: async (sandbox) => {
      await sandbox.write('password.txt', PASSWORD);
      return undefined;
    },
    prints: [/"transactionid"/, /https:\/\/tan\.example\.com\/console\/#link=/],
  },
  backup: {
    prepare: async (sandbox) => {
      const identity = await generateX25519Identity();
      await sandbox.write('identity.txt', `${identity}\n`);
      await sandbox.write('/etc/tankeeper/backup-passphrase', 'a passphrase of this test');
      return [
        ['--recipient age1…', `--recipient ${await identityToRecipient(identity)}`],
        // This backup has no token; the tests of the command restore one.
        ['--token LSGO1', '--check'],
        // The reader does this on another day, and restores into an empty database.
        ['export backup.age --recipient', 'export backup.age --overwrite --recipient'],
        [
          'tankeeper restore backup.age --identity-file identity.txt',
          'env -u DATABASE_URL DATA_DIR=$PWD/restored ENCRYPTION_KEY_FILE=$PWD/../data/encryption.key tankeeper restore backup.age --identity-file identity.txt',
        ],
      ];
    },
    prints: [/SHA-256/],
  },
  doctor: {
    before: ADMINISTRATION,
    replace: [DOCTOR],
    prints: [/remedy: /],
  },
  enrolment: {
    before: ADMINISTRATION,
    prepare: async (sandbox) => {
      await sandbox.write('logo.png', Buffer.from(issuerLogo(), 'base64url'));
      await sandbox.write('keys.xml', FIGURE_7);
      await sandbox.write('more-keys.xml', FIGURE_6.replaceAll('987654321', '42'));
      await sandbox.write('transport-password.txt', KEY_PASSWORD);
      await sandbox.write('transport-key.txt', PRE_SHARED_KEY.toString('hex'));
      await sandbox.write('keys.csv', keyTable(['DEV0001']));
      return undefined;
    },
    tokens: ['DEV0002'],
    replace: [['SERIAL', 'DEV0002'], confirmed('token remove')],
    prints: [/DEV0002/],
  },
  helpdesk: {
    before: [
      ...ADMINISTRATION,
      'realm add shop --resolvers staff',
      'token init --serial SHOP1 --realm shop --generate',
    ],
    tokens: ['QR1'],
    prepare: async (sandbox) => {
      await sandbox.write('helpdesk-password', PASSWORD);
      return undefined;
    },
    after: [
      `curl -u helpdesk '${TAN_SERVER}/admin/userlist?realm=office&username=an*'`,
      `curl -u helpdesk '${TAN_SERVER}/admin/show?user=anna&realm=office'`,
      `curl -u helpdesk '${TAN_SERVER}/admin/audit/search?serial=QR1&since=1D'`,
      ...['disable', 'enable', 'reset'].map(
        (act) => `curl -u helpdesk ${TAN_SERVER}/admin/${act} -d serial=QR1`,
      ),
      `curl -u helpdesk ${TAN_SERVER}/system/getPolicy`,
      `curl -u helpdesk ${TAN_SERVER}/monitoring/tokens`,
      `curl -u helpdesk ${TAN_SERVER}/ocra/request -d serial=QR1 -d data=1`,
      `curl -u helpdesk ${TAN_SERVER}/admin/remove -d serial=QR1`,
      `curl -u helpdesk ${TAN_SERVER}/admin/disable -d serial=SHOP1`,
      'tankeeper token show SHOP1',
    ],
    prints: [
      /"username": "anna"/,
      /"serial": "QR1",\n +"type"/,
      /"token\/import"/,
      // The helpdesk has no other rights, and none in the other realm.
      /(?:"code": 410[^+]*\+[^+]*){4}/,
      /No token found with the serial 'SHOP1'/,
      /Realms +shop\n\s*State +active/,
    ],
  },
  monitoring: {
    before: [
      'resolver add staff',
      'realm add office --resolvers staff',
      'realm add shop --resolvers staff',
      'admin add helpdesk --password-file @admin-password',
    ],
    prepare: async (sandbox) => {
      await sandbox.write('/etc/tankeeper/probe-password', PASSWORD);
      const made = await sandbox.run(["tankeeper api-token add admin check 'monitoring:*'"]);
      await sandbox.write('/etc/tankeeper/probe-token', /^tk_\S+$/m.exec(made.output)?.[0] ?? '');
      return undefined;
    },
    // The token that the command before has printed.
    replace: [
      confirmed('policy set monitoring-admin'),
      ["api-token add probe nagios 'monitoring:*'", '$& | tee token.txt'],
      ["'Authorization: Bearer tk_…'", '"Authorization: Bearer $(grep -o \'tk_[A-Za-z0-9_-]*\' token.txt)"'],
    ],
    prints: [/"Summary"/],
  },
  operating: {
    before: ADMINISTRATION,
    prepare: () =>
      Promise.resolve([
        confirmed('key retire'),
        ['0123456789abcdef', `"$(tankeeper key list | awk 'NR > 1 && $2 != "current" { print $1 }')"`],
      ]),
    replace: [
      ["systemctl reload 'tankeeper@*'", ':'],
      confirmed('key rotate'),
      ['systemctl restart "tankeeper@$port"', ':'],
      ['"http://127.0.0.1:$port/readyz"', `${TAN_SERVER}/readyz`],
      ['sleep 5', ':'],
    ],
    prints: [/every count is right/, /is retired/],
  },
  operator: {
    before: ADMINISTRATION,
    replace: [
      DOCTOR,
      ['--recipient age1…', `--recipient ${await identityToRecipient(await generateX25519Identity())}`],
    ],
    prints: [/every count is right/, /all as they were sealed/, /SHA-256/],
  },
  policies: {
    before: ADMINISTRATION,
    replace: [confirmed('policy set probe')],
    prints: [/the policy probe is disabled/, /no policy of the scope is active/, /"value": 2/],
  },
  'security-officer': {
    before: ADMINISTRATION,
    prepare: async (sandbox) => {
      await writeLog(sandbox);
      return undefined;
    },
    prints: [/all as they were sealed/, /ocra-administrators/, /current/],
  },
  'qr-app': {
    before: ADMINISTRATION,
    prepare: async (sandbox) => {
      await sandbox.write('portal-password', PASSWORD);
      return undefined;
    },
    // tests/campaigns/portal runs the demo.
    replace: [
      [/^npm ci$/g, ':'],
      [/^npm run demo:portal$/g, ':'],
    ],
    prints: [/tk_/],
  },
  webhooks: {
    prepare: async (sandbox) => {
      const receiver = await WebhookReceiver.start();
      sandbox.removeAlso(() => receiver.stop());
      return [['https://siem.example.com/tankeeper', receiver.url]];
    },
    prints: [/whsec_/, /siem/],
  },
};

/** Guides whose commands run elsewhere, or cannot run here. */
const ELSEWHERE: Readonly<Record<string, string>> = {
  'moving-from-linotp': 'tests/campaigns/guides/moving-guide.test.ts',
  'getting-started': 'tests/campaigns/guides/getting-started.test.ts',
  integrator: 'integrator-guide.test.ts',
  resolvers: 'resolvers-guide.test.ts',
  'security-modules': 'tests/campaigns/security-module makes a token of SoftHSM with the same commands',
  deployment: 'needs Docker, Kubernetes or systemd; .ci/run checks its files',
  releasing: 'CI makes the release twice; signing and publishing need the owner',
};

let sandbox: GuideSandbox | undefined;

afterEach(async () => {
  await sandbox?.remove();
  sandbox = undefined;
});

it('knows every guide that has commands', () => {
  const pages = listRepositoryFiles('docs/guides').filter((page) => guideCommands(page).length > 0);
  const names = pages.map((page) => page.replace(/^docs\/guides\/(.*)\.md$/, '$1'));
  expect(names.toSorted()).toEqual([...Object.keys(GUIDES), ...Object.keys(ELSEWHERE)].toSorted());
});

describe.each(Object.entries(GUIDES))('docs/guides/%s.md', (name, guide) => {
  it('has commands that work in their order', async () => {
    sandbox = await GuideSandbox.start(guide.variables);
    await sandbox.write('tokens.csv', keyTable(guide.tokens ?? []));
    const commands = [
      ...(guide.before ?? []),
      ...(guide.tokens === undefined ? [] : ['import csv @work/tokens.csv']),
    ];
    await sandbox.prepare(commands);
    const prepared = (await guide.prepare?.(sandbox)) ?? [];
    const run = await sandbox.run(
      [...guideCommands(`docs/guides/${name}.md`), ...(guide.after ?? [])],
      [...prepared, ...(guide.replace ?? [])],
    );
    assertSucceeded(run);
    for (const pattern of guide.prints) {
      expect(run.output).toMatch(pattern);
    }
  });
});

/** @returns the answer of a reader whom a command asks whether to go on */
function confirmed(command: string): Replacement {
  return [`tankeeper ${command}`, `tankeeper ${command} --yes`];
}

/** Writes the server's log, with its checkpoints, to the place where the guides have it. */
async function writeLog(sandbox: GuideSandbox): Promise<void> {
  await sandbox.write('/backup/logs/tankeeper.log', sandbox.server.output());
}

/** @returns a table of keys whose tokens belong to anna */
function keyTable(serials: readonly string[]): string {
  const lines = serials.map(
    (serial) => `${serial},${Buffer.from(serial.padEnd(20, '.')).toString('hex')},anna,office`,
  );
  return ['serial,key,user,realm', ...lines, ''].join('\n');
}
