import { invalidSetting, type Settings } from './setting-values.ts';

/**
 * Parses a URL `driver://user:password@host:port/database?parameters`.
 * @param besides the settings that are given individually; none of them may also be in the URL
 * @throws ServiceError 'resolver.invalid', which quotes nothing of the URL: it may hold a password
 */
export function parseConnectUrl(url: string, besides: Settings): Settings {
  const [, driver = '', rest = ''] = /^([A-Za-z0-9+]+):\/\/(.+)$/.exec(url) ?? [];
  // With a scheme that URL knows, so that ports and hosts follow the same rules for every driver.
  const parsed = URL.canParse(`postgres://${rest}`) ? new URL(`postgres://${rest}`) : undefined;
  if (driver === '' || rest === '' || parsed === undefined) {
    throw invalidSetting('Connect', 'is not a URL such as postgresql://user@host:5432/database');
  }
  if (`${parsed.pathname}${parsed.search}${parsed.hash}`.includes('@')) {
    // The beginning of the password would be read as a port, and its rest shown as the name of a database.
    throw invalidSetting('Connect', 'has an @ behind the host: in a password / ? and # are %2F, %3F and %23');
  }
  const parts: Settings = {
    Driver: driver,
    Server: parsed.hostname.replace(/^\[(.*)\]$/, '$1'),
    Port: parsed.port,
    Database: decode(parsed.pathname.slice(1)),
    User: decode(parsed.username),
    Password: decode(parsed.password),
    conParams: parsed.search.slice(1),
  };
  const filled = Object.entries(parts).filter(([, value]) => value !== '');
  const twice = filled.find(([name]) => name in besides);
  if (twice !== undefined) {
    throw invalidSetting(twice[0], 'is given twice: by itself and in Connect');
  }
  return Object.fromEntries(filled);
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    throw invalidSetting('Connect', 'holds a % that begins no character');
  }
}
