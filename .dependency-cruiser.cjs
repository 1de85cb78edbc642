/**
 * The imports that docs/architecture.md allows, enforced by `npm run lint`.
 * @type {import('dependency-cruiser').IConfiguration}
 */
const only = (name, from, allowed, comment) => ({
  name,
  comment,
  severity: 'error',
  from: { path: `^src/${from}/` },
  to: { pathNot: [`^src/${from}/`, ...allowed] },
});

/** The concepts, each of which may import those before it. */
const concepts = [
  'limits',
  'policy',
  'keys',
  'audit',
  'configuration',
  'resolvers',
  'users',
  'realms',
  'tokens',
  'challenges',
  'validation',
  'administrators',
  'self-service',
  'monitoring',
  'helpdesk',
  'consequences',
  'webhooks',
  'housekeeping',
  'backup',
  'linotp',
  'doctor',
];
/** Sources of users, LinOTP's databases and the sender of webhooks are adapters; the rest of these folders is domain. */
const SOURCES = '^src/((resolvers|linotp)/sources|webhooks/sending)/';
/** A store has all SQL of its concept, and lives in the concept's folder. */
const STORES = `^src/(${concepts.join('|')})/[a-z0-9/-]+-store\\.ts$`;
/** What reaches out of the process, or needs a library: `services.ts` makes it, others know its type. */
const ADAPTERS =
  '^src/(administrators/(json-web-tokens|openid-provider)|keys/(key-file|opened-keys|pkcs11-[a-z]+|wrapped-keys))\\.ts$';
/** The files that know a library. */
const fileThatKnows = {
  jose: 'administrators/json-web-tokens',
  'openid-client': 'administrators/openid-provider',
  '@simplewebauthn/server': 'administrators/passkey',
  '@node-rs/argon2': 'users/password-hash',
  bcryptjs: 'resolvers/sources/directory-password',
  'csv-parse': 'tokens/csv-key-file',
  'fast-xml-parser': 'tokens/pskc-file',
  '@scure/base': '(ocra/key-(derivation|uri)|tokens/csv-key-file)',
  'lru-cache':
    '(kernel/bounded-work|limits/attempt-limit|administrators/remembered-credentials|challenges/issued-challenges|http/controllers/documentation-controller)',
  re2js: 'policy/policy-conditions',
  'age-encryption': 'backup/backup-encryption',
  'modern-tar': 'backup/backup-format',
  'pg-copy-streams': 'backup/(backup|restore)-store',
  'prom-client': '(observability/metrics|[a-z]+/[a-z]+-metrics)',
};
const domain = `^src/(kernel|ocra|${concepts.join('|')})/`;

const conceptRule = (concept, place) => ({
  name: `${concept}-imports-concepts-before-it`,
  severity: 'error',
  from: { path: `^src/${concept}/`, pathNot: [SOURCES, STORES] },
  to: {
    path: '.',
    pathNot: [
      `^src/${concept}/`,
      ...[...concepts.slice(0, place), 'kernel', 'ocra'].map(
        (folder) => `^src/${folder}/(?!(?:sources|sending)/)`,
      ),
      '^(node:)?crypto$',
      'node_modules/zod/',
      ...Object.keys(fileThatKnows).map((library) => `node_modules/${library}/`),
      // Key files, and the process of the PKCS #11 module.
      ...(concept === 'keys'
        ? ['^(node:)?(child_process|fs|fs/promises|module|os|path|timers/promises|url)$']
        : []),
      // Pauses in long hashes.
      ...(concept === 'users' ? ['^(node:)?timers/promises$'] : []),
      // PBKDF2 as a promise.
      ...(concept === 'tokens' ? ['^(node:)?util$'] : []),
      // Policies are a part of the configuration.
      ...(concept === 'policy' ? ['^src/configuration/configuration-store\\.ts$'] : []),
      // Address arithmetic.
      ...(concept === 'resolvers' ? ['^(node:)?net$'] : []),
      // Compression.
      ...(concept === 'backup' ? ['^(node:)?stream/web$'] : []),
    ],
  },
});

const nodeCore =
  '^(node:)?(assert|async_hooks|buffer|child_process|crypto|events|fs|fs/promises|http|https|net|os|path|perf_hooks|readline|readline/promises|stream|stream/promises|timers/promises|tls|url|util|zlib|process|string_decoder|module|tty)$';
const forbiddenInDomain = ['express', 'body-parser', 'knex', 'pg', 'winston', 'commander'];

module.exports = {
  forbidden: [
    { name: 'no-circles', severity: 'error', from: {}, to: { circular: true } },
    {
      name: 'no-orphans',
      severity: 'error',
      from: { orphan: true, path: '^src/', pathNot: ['^src/compose/', '^src/main\\.ts$'] },
      to: {},
    },
    {
      name: 'src-never-imports-tests',
      severity: 'error',
      from: { path: '^src/' },
      to: { path: '^(tests|scripts)/' },
    },
    { name: 'not-to-unresolvable', severity: 'error', from: {}, to: { couldNotResolve: true } },
    {
      name: 'no-deprecated-or-dev-library-in-src',
      severity: 'error',
      from: { path: '^src/' },
      to: {
        dependencyTypes: ['npm-dev', 'npm-no-pkg', 'npm-unknown', 'deprecated'],
        pathNot: ['node_modules/@types/'],
      },
    },
    {
      name: 'no-grab-bags',
      comment: 'No utils, helpers, common, types, ports or index files.',
      severity: 'error',
      from: {},
      to: { path: '/(utils?|helpers?|common|types|ports|index)(/|[.]tsx?$)', pathNot: 'node_modules' },
    },
    only('kernel', 'kernel', [nodeCore, 'node_modules/lru-cache/'], 'kernel: node, and bounded memory'),
    only(
      'ocra',
      'ocra',
      ['^src/kernel/(clock|errors)\\.ts$', 'node_modules/@(noble/hashes|scure/base)/'],
      'ocra: what also runs in browsers',
    ),
    only(
      'device',
      'device',
      ['^src/ocra/', '^src/kernel/(clock|errors)\\.ts$'],
      'device: what also runs in browsers',
    ),
    {
      name: 'only-the-command-line-and-apps-import-device',
      severity: 'error',
      from: { path: '^src/', pathNot: ['^src/(device|cli/device)/'] },
      to: { path: '^src/device/' },
    },
    ...concepts.map(conceptRule),
    ...Object.entries(fileThatKnows).map(([library, file]) => ({
      name: `who-knows-${library.replace(/\W+/g, '-')}`,
      severity: 'error',
      // The server loads all before its port opens.
      from: { path: '^src/', pathNot: [`^src/${file}\\.ts$`, '^src/compose/server\\.ts$'] },
      to: { path: `node_modules/${library}/` },
    })),
    {
      name: 'domain-knows-no-framework',
      severity: 'error',
      from: { path: domain, pathNot: [SOURCES, STORES] },
      to: { path: forbiddenInDomain.map((library) => `node_modules/${library}/`) },
    },
    {
      name: 'stores-know-the-database-and-values-only',
      severity: 'error',
      from: { path: STORES },
      to: { path: '^src/', pathNot: [domain, '^src/database/'] },
    },
    {
      name: 'stores-never-import-services',
      severity: 'error',
      from: { path: STORES },
      to: { path: '-service\\.ts$' },
    },
    {
      name: 'others-know-stores-and-adapters-as-types',
      comment: 'They are made in services.ts, and in compose/ what needs no service.',
      severity: 'error',
      from: {
        path: '^src/',
        pathNot: [STORES, SOURCES, ADAPTERS, '^src/(database|compose)/', '^src/services\\.ts$'],
      },
      to: {
        path: [STORES, SOURCES, ADAPTERS],
        // Opens a LinOTP database by itself.
        pathNot: ['^src/linotp/sources/open-source\\.ts$'],
        dependencyTypesNot: ['type-only'],
      },
    },
    {
      name: 'edges-never-import-stores',
      severity: 'error',
      from: { path: '^src/(http|cli)/' },
      to: { path: STORES },
    },
    {
      name: 'adapters-know-kernel-and-domain-only',
      severity: 'error',
      from: { path: '^src/(database|embedded-postgres|observability)/' },
      to: { path: '^src/', pathNot: [domain, '^src/database/', '^src/$1/'] },
    },
    {
      name: 'embedded-postgres-has-one-entry',
      severity: 'error',
      from: { path: '^src/', pathNot: ['^src/embedded-postgres/'] },
      to: { path: '^src/embedded-postgres/', pathNot: ['/embedded-postgres\\.ts$'] },
    },
    {
      name: 'sources-know-kernel-and-domain-only',
      severity: 'error',
      from: { path: SOURCES },
      to: { path: '^src/', pathNot: [domain] },
    },
    {
      name: 'operations-know-services-and-rules',
      severity: 'error',
      from: { path: '^src/operations/' },
      to: {
        path: '.',
        pathNot: [
          `(?!${ADAPTERS})${domain}(?!(?:sources|sending)/|.*${STORES})`,
          '^src/(operations/|services\\.ts$)',
          'node_modules/zod/',
        ],
      },
    },
    {
      name: 'http-knows-services-and-rules',
      severity: 'error',
      from: { path: '^src/http/' },
      to: {
        path: ['^src/'],
        pathNot: [
          `(?!${ADAPTERS})${domain}(?!(?:sources|sending)/|.*${STORES})`,
          '^src/(http|operations)/',
          '^src/services\\.ts$',
        ],
      },
    },
    {
      name: 'dialects-know-no-controller',
      comment: 'The answers of endpoints are described beside the dialects that give them.',
      severity: 'error',
      from: { path: '^src/http/dialects/' },
      to: { path: '^src/http/controllers/' },
    },
    {
      name: 'commands-know-services-rules-and-compose',
      comment:
        'They begin what needs no service there: the server, migrations, doctor, restore and the demo.',
      severity: 'error',
      from: { path: '^src/cli/' },
      to: {
        path: ['^src/'],
        pathNot: [
          `(?!${ADAPTERS})${domain}(?!(?:sources|sending)/|.*${STORES})`,
          '^src/(cli|compose|config|device|operations)/',
          '^src/linotp/sources/open-source\\.ts$',
          '^src/services\\.ts$',
        ],
      },
    },
    {
      name: 'services-know-no-edge',
      severity: 'error',
      from: { path: '^src/services\\.ts$' },
      to: { path: '^src/(http|cli|compose)/' },
    },
    {
      name: 'services-are-made-in-one-place',
      comment: 'Others know the type that is inferred from it.',
      severity: 'error',
      from: { path: '^src/', pathNot: ['^src/compose/'] },
      to: { path: '^src/services\\.ts$', dependencyTypesNot: ['type-only'] },
    },
    {
      name: 'config-knows-kernel-only',
      severity: 'error',
      from: { path: '^src/config/' },
      to: { path: '^src/', pathNot: ['^src/kernel/', '^src/config/'] },
    },
    {
      name: 'app-knows-the-pure-parts-only',
      comment:
        'What runs in browsers: RFC 6287, the app side of the protocol, and the errors that these throw.',
      severity: 'error',
      from: { path: '^app/src/' },
      to: {
        path: '.',
        pathNot: [
          '^app/src/',
          '^app/component/qr-drawing\\.ts$',
          '^src/(ocra|device)/',
          '^src/kernel/errors\\.ts$',
          'node_modules/(preact|idb|jsqr|@noble/hashes|@scure/base)/',
        ],
      },
    },
    {
      name: 'component-knows-itself-only',
      comment: 'One file under another licence: beside its own modules, the drawing of QR codes.',
      severity: 'error',
      from: { path: '^app/component/', pathNot: '/vite[.]config[.]ts$' },
      to: { path: '.', pathNot: ['^app/component/', 'node_modules/qr/'] },
    },
    {
      name: 'console-knows-the-interface-alone',
      comment: 'It calls the server over HTTP. Files for spreadsheets have the one rule against formulas.',
      severity: 'error',
      from: { path: '^console/src/' },
      to: {
        path: '.',
        pathNot: [
          '^console/src/',
          '^app/src/browser/',
          '^src/kernel/text\\.ts$',
          'node_modules/(react|react-dom|@types/react|@types/react-dom|@mantine/core|@mantine/hooks|@tanstack/react-query|wouter|uplot|qr)/',
        ],
      },
    },
    {
      name: 'examples-stand-alone',
      comment: 'Integrators copy them.',
      severity: 'error',
      from: { path: '^examples/' },
      to: { path: '^(src|app|tests|scripts|bench)/' },
    },
    {
      name: 'main-knows-the-command-line-only',
      severity: 'error',
      from: { path: '^src/main\\.ts$' },
      to: { path: '^src/', pathNot: ['^src/compose/command-line\\.ts$'] },
    },
    {
      name: 'only-commands-import-compose',
      severity: 'error',
      from: { path: '^src/', pathNot: ['^src/(compose|cli)/', '^src/main\\.ts$'] },
      to: { path: '^src/compose/' },
    },
  ],
  options: {
    doNotFollow: { path: 'node_modules' },
    tsConfig: { fileName: 'tsconfig.json' },
    tsPreCompilationDeps: true,
    enhancedResolveOptions: {
      exportsFields: ['exports'],
      conditionNames: ['import', 'require', 'node', 'default', 'types'],
      extensions: ['.ts', '.tsx', '.js', '.json'],
    },
  },
};
