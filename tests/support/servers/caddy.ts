import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { REPOSITORY } from '../../repository/repository-file.ts';
import { freePort, waitForPort } from './wait-for-port.ts';
import { makeCertificates } from './slapd.ts';

/** Caddy with the configuration of deploy/compose, before servers of this machine. */
export interface Caddy {
  /** Without a slash at its end. */
  readonly origin: string;
  /** The certificate of the authority that has signed the proxy's, in PEM. */
  readonly authority: string;
  /** @returns its output so far */
  output(): string;
  stop(): Promise<void>;
}

/**
 * @param upstream the origin of the servers, which may be away
 * @param resolver the port of the resolver that knows the name in it; default: it has an address
 * @param below a path below which it shows the servers as well as at its root, such as `/tan`; default: none
 * @param head the first lines of the block of the servers; default: those of the Caddyfile
 * @param isPlain it speaks HTTP; default: HTTPS
 * @param tries the time for which the proxy tries to reach them, as the Caddyfile writes it; default: that of the Caddyfile
 */
export async function startCaddy(
  program: string,
  upstream: string,
  {
    resolver,
    below,
    tries,
    head,
    isPlain = false,
  }: {
    readonly resolver?: number;
    readonly below?: string;
    readonly tries?: string;
    readonly head?: string;
    readonly isPlain?: boolean;
  } = {},
): Promise<Caddy> {
  const { hostname, port: upstreamPort } = new URL(upstream);
  const folder = await mkdtemp(join(tmpdir(), 'tankeeper-caddy-'));
  const { authorityFile, certificateFile, keyFile } = await makeCertificates(folder);
  const text = await readFile(join(REPOSITORY, 'deploy/compose/Caddyfile'), 'utf8');
  const configuration = join(folder, 'Caddyfile');
  await writeFile(
    configuration,
    text
      .replace(/reverse_proxy .*\n[^]*?lb_policy .*\n/, (lines) => head ?? lines)
      .replace(/lb_try_duration \S+/, tries === undefined ? '$&' : `lb_try_duration ${tries}`)
      .replace(/\thandle \{[^]*?\n\t\}\n/, (block) =>
        below === undefined ? block : block + shownBelow(below, block),
      ),
  );
  const port = await freePort();
  const origin = `${isPlain ? 'http' : 'https'}://localhost:${port}`;
  const child = spawn(program, ['run', '--adapter', 'caddyfile', '--config', configuration], {
    env: {
      PATH: process.env.PATH,
      HOME: folder,
      XDG_DATA_HOME: folder,
      XDG_CONFIG_HOME: folder,
      SITE_ADDRESS: origin,
      TLS: isPlain ? '' : `tls ${certificateFile} ${keyFile}`,
      HEALTH_PORT: String(await freePort()),
      UPSTREAM_NAME: hostname,
      UPSTREAM_PORT: upstreamPort,
      ...(resolver !== undefined && { UPSTREAM_RESOLVERS: `resolvers udp/127.0.0.1:${resolver}` }),
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const pieces: string[] = [];
  for (const stream of [child.stdout, child.stderr]) {
    stream.on('data', (piece: Buffer) => pieces.push(piece.toString('utf8')));
  }
  await waitForPort(port, child);
  return {
    origin,
    authority: await readFile(authorityFile, 'utf8'),
    output: () => pieces.join(''),
    stop: async () => {
      const ended = once(child, 'close');
      child.kill('SIGTERM');
      await ended;
      await rm(folder, { recursive: true });
    },
  };
}

/** @returns the block of the servers with the two changes that docs/guides/operating.md asks for */
function shownBelow(path: string, block: string): string {
  return block
    .replace('handle {', `handle_path ${path}/* {`)
    .replace(/reverse_proxy .*\n/, `$&header_up X-Forwarded-Prefix ${path}\n`);
}
