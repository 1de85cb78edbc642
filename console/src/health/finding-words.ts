import type { Language } from '../language/language.ts';

interface FindingWords {
  /** The fact in general. The words of the server, which are English, name what it is about. */
  readonly text: string;
  readonly remedy: string;
}

const ROLE = 'Die Grenze der Rolle in PostgreSQL setzen';
const SETTING = '`ALTER SYSTEM SET` mit dem Wert `on`, dann `SELECT pg_reload_conf()`';
const EXPORT =
  '`tankeeper export FILE`, und eine Kopie des Schlüssels an einem anderen Ort; andere Verfahren (pg_dump) sind hier nicht zu sehen';
const ADD_CA = '`tankeeper resolver set NAME` mit dem Zertifikat der Stelle in CACERTIFICATE';

/** By the code of a finding. */
const GERMAN: Readonly<Record<string, FindingWords>> = {
  'variables.unknown': {
    text: 'Der Server liest eine gesetzte Variable nicht.',
    remedy: 'Sie entfernen; `tankeeper config` zeigt die bekannten',
  },
  'addresses.no-proxy': {
    text: 'Der Server hört nur auf dieser Maschine und vertraut keinem Proxy: Hinter einem Proxy wären alle Clients einer.',
    remedy: '`TRUST_PROXY=loopback`',
  },
  'addresses.plain-http': {
    text: 'Der Server ist ohne TLS von anderen Maschinen erreichbar und vertraut keinem Proxy: Passwörter und Antworten können offen übertragen werden.',
    remedy:
      '`HOST=127.0.0.1` hinter einem Proxy auf dieser Maschine, sonst TRUST_PROXY mit der Adresse des Proxys und ein Netz, das nur er erreicht',
  },
  'addresses.metrics': {
    text: 'Die Messwerte sind ohne Anmeldung von anderen Maschinen aus zu lesen.',
    remedy:
      'Eine Firewall, die nur Prometheus durchlässt; oder METRICS_PORT weglassen und ein API-Token mit dem Recht monitoring:metrics verwenden',
  },
  'addresses.trusts-everyone': {
    text: 'TRUST_PROXY nennt alle Adressen: Jeder Client wählt selbst, welche Adresse Richtlinien, Limits und Log sehen.',
    remedy: 'TRUST_PROXY nur mit den Adressen der Proxys',
  },
  'addresses.unreachable-proxy': {
    text: 'Nur diese Maschine erreicht den Server, und TRUST_PROXY nennt sie nicht: Keinem Proxy wird vertraut.',
    remedy: 'TRUST_PROXY mit `loopback`, oder HOST mit einer Adresse, die der Proxy erreicht',
  },
  'addresses.exempts-everyone': {
    text: 'LIMIT_EXEMPT nennt alle Adressen: Antworten lassen sich ohne Limit des Clients raten.',
    remedy: 'LIMIT_EXEMPT nur mit den Adressen der Portale',
  },
  'addresses.exempts-proxy': {
    text: 'LIMIT_EXEMPT nennt einen Proxy aus TRUST_PROXY: Was ohne X-Forwarded-For von ihm kommt, ist nicht begrenzt.',
    remedy: 'Den Proxy aus LIMIT_EXEMPT nehmen und die Portale dahinter nennen',
  },
  'addresses.no-passkeys': {
    text: 'PUBLIC_URL hat eine IP-Adresse: Es gibt keine Passkeys, denn Browser binden sie nur an einen Namen.',
    remedy: 'PUBLIC_URL mit einem Namen des Servers; nichts, wenn niemand Passkeys will',
  },
  'database.version': {
    text: 'PostgreSQL ist älter als die älteste unterstützte Version.',
    remedy: 'PostgreSQL aktualisieren',
  },
  'database.read-only': {
    text: 'Die Datenbank nimmt keine Änderungen an: Sie ist ein Standby, oder sie wurde auf nur Lesen gestellt.',
    remedy: 'DATABASE_URL mit der Haupt-Datenbank; oder diese dazu machen',
  },
  'database.fsync': {
    text: 'fsync ist aus: Ein Absturz der Maschine kann die Datenbank zerstören.',
    remedy: SETTING,
  },
  'database.full_page_writes': {
    text: 'full_page_writes ist aus: Ein Absturz der Maschine kann Teile der Datenbank zerstören.',
    remedy: SETTING,
  },
  'database.autovacuum': {
    text: 'autovacuum ist aus: Tabellen wachsen ohne Grenze und werden langsam.',
    remedy: SETTING,
  },
  'database.track_counts': {
    text: 'track_counts ist aus: autovacuum arbeitet nicht, und Tabellen wachsen ohne Grenze.',
    remedy: SETTING,
  },
  'database.server_encoding': {
    text: 'Die Datenbank speichert nicht in UTF-8: Manche Namen und Texte lassen sich nicht speichern.',
    remedy: '`tankeeper export`, dann `tankeeper restore` in eine Datenbank mit der Kodierung UTF8',
  },
  'database.statement_timeout': {
    text: 'Ein Pooler verwirft die Zeitgrenze von Befehlen, die dann hängen bleiben können.',
    remedy: ROLE,
  },
  'database.idle_in_transaction_session_timeout': {
    text: 'Die Transaktion eines Servers, der weg ist, behält ihre Sperren für Stunden: Seine Token antworten 503.',
    remedy: ROLE,
  },
  'database.tcp_keepalives_idle': {
    text: 'Die Datenbank bemerkt erst nach Stunden, dass eine Maschine weg ist.',
    remedy: ROLE,
  },
  'database.tcp_user_timeout': {
    text: 'Die Datenbank sendet minutenlang an eine Maschine, die weg ist.',
    remedy: ROLE,
  },
  'connections.too-few': {
    text: 'Die Datenbank gewährt weniger Verbindungen, als die Server brauchen können: Unter Volllast werden Anfragen abgelehnt.',
    remedy:
      'max_connections von PostgreSQL oder die Grenze der Rolle erhöhen; oder DATABASE_POOL_SIZE senken',
  },
  'clock.differs': {
    text: 'Die Uhren der Datenbank und dieser Maschine gehen verschieden.',
    remedy: 'Auf beiden Maschinen einen NTP-Client betreiben (chrony, systemd-timesyncd)',
  },
  'clock.jumped': {
    text: 'Die Uhr der Datenbank ist gesprungen: Altes wird nicht gelöscht, bis sie sicher richtig ist.',
    remedy: 'Die Uhr richtigstellen; geht sie richtig, `tankeeper housekeeping run --confirm-time`',
  },
  'key.file-writable': {
    text: 'Andere dürfen die Schlüsseldatei ändern: Server lehnen sie ab.',
    remedy: '`chmod go-w` für die Datei',
  },
  'key.file-readable': {
    text: 'Andere dürfen die Schlüsseldatei lesen, und mit der Datenbank jedes Geheimnis.',
    remedy: '`chmod go-r` für die Datei; bei einem eingehängten Secret defaultMode: 0440',
  },
  'key.folder-writable': {
    text: 'Andere dürfen den Ordner der Schlüsseldatei ändern, und sie ersetzen oder löschen.',
    remedy: '`chmod go-w` für den Ordner',
  },
  'key.unregistered': {
    text: 'Die Schlüsseldatei enthält einen Schlüssel, den die Datenbank nicht kennt.',
    remedy: '`tankeeper keys add`; sonst seine Zeile aus der Datei nehmen',
  },
  'key.unread': {
    text: 'Dieser Server hat den neuesten Schlüssel noch nicht gelesen.',
    remedy: 'Die Schlüsseldatei auf jede Maschine bringen, und jedem Server SIGHUP senden',
  },
  'key.never-used': {
    text: 'Ein Schlüssel wurde hinzugefügt und versiegelt noch nichts.',
    remedy: '`tankeeper keys rotate`',
  },
  'key.rotation': {
    text: 'Ein früherer Schlüssel ist noch nicht außer Dienst.',
    remedy: '`tankeeper keys rotate`, dann `tankeeper keys retire`',
  },
  'realms.none': {
    text: 'Es gibt keinen Realm: Kein Benutzer wird gefunden.',
    remedy: '`tankeeper realm add NAME --resolvers NAME`',
  },
  'realms.no-default': {
    text: 'Kein Realm ist der Standard: Anfragen ohne Realm finden keinen Benutzer.',
    remedy: '`tankeeper realm default NAME`',
  },
  'realms.no-qrtanurl': {
    text: 'Keine Richtlinie gibt QR-TAN-Token eine Antwortadresse (qrtanurl): Apps lehnen ihre QR-Codes ab.',
    remedy: '`tankeeper policy set NAME --scope authentication --realm REALM --action qrtanurl=URL`',
  },
  'realms.ambiguous-qrtanurl': {
    text: 'Richtlinien geben QR-TAN-Token verschiedene Antwortadressen (qrtanurl): Ihre Challenges werden abgelehnt.',
    remedy: 'Eine der Richtlinien ändern oder deaktivieren',
  },
  'realms.partial-qrtanurl': {
    text: 'Die Antwortadresse (qrtanurl) von QR-TAN-Token gilt nur für manche Benutzer, Clients oder Zeiten.',
    remedy: '`tankeeper policy show NAME`',
  },
  'policies.unreadable': {
    text: 'Eine Richtlinie ist nicht lesbar und gibt kein Recht.',
    remedy: '`tankeeper policy set NAME` mit bekannten Namen, oder `tankeeper policy remove NAME`',
  },
  'policies.unreadable-inactive': {
    text: 'Inaktive Richtlinien haben Bereiche, Aktionen oder andere Teile, die hier unbekannt sind.',
    remedy: '`tankeeper policy remove NAME`, wenn sie nichts nützen',
  },
  'policies.unknown-action': {
    text: 'Eine Richtlinie nennt Aktionen, die hier keine Wirkung haben.',
    remedy: '`tankeeper policy set NAME` ohne sie',
  },
  'policies.unknown-realm': {
    text: 'Eine Richtlinie nennt einen Realm, den es nicht gibt.',
    remedy: '`tankeeper policy set NAME` mit einem vorhandenen, oder `tankeeper realm add NAME`',
  },
  'policies.unknown-user': {
    text: 'Eine Richtlinie nennt Benutzer, deren Realm oder Resolver es nicht gibt.',
    remedy: '`tankeeper policy set NAME` mit vorhandenen in --user',
  },
  'tables.incomplete': {
    text: 'Der Datenbank fehlen Tabellen, Zeilen, Migrationen oder Rechte, die der Server braucht: Er ist nicht bereit.',
    remedy: 'Ein Backup wiederherstellen, oder der Rolle aus DATABASE_URL ihre Rechte wieder geben (GRANT)',
  },
  'settings.unknown': {
    text: 'Einstellungen sind gesetzt, die der Server nicht liest.',
    remedy: '`tankeeper setting remove KEY`',
  },
  'settings.invalid': {
    text: 'Eine Einstellung hat einen ungültigen Wert.',
    remedy: '`tankeeper setting set KEY VALUE`',
  },
  'triggers.disabled': {
    text: 'Trigger des Servers sind in der Datenbank deaktiviert: Zählungen, Sperren oder Widerrufe stimmen nicht mehr.',
    remedy:
      '`ALTER TABLE … ENABLE TRIGGER …`, dann `tankeeper count --verify --mend` und ein Neustart der Server',
  },
  'webhooks.failing': {
    text: 'Ein Webhook scheitert nur noch: Sein Empfänger bekommt keine Ereignisse.',
    remedy: 'Den Empfänger in Ordnung bringen, dann `tankeeper webhook test NAME`',
  },
  'ends.api-token': {
    text: 'Ein API-Token läuft bald ab.',
    remedy: '`tankeeper api-token add`, dann dem Client das neue geben',
  },
  'ends.certificate': {
    text: 'Ein Zertifikat eines Resolvers läuft bald ab oder ist abgelaufen.',
    remedy: ADD_CA,
  },
  'backup.none': { text: 'Im Audit steht keine Sicherung mit `tankeeper export`.', remedy: EXPORT },
  'backup.old': { text: 'Die letzte Sicherung mit `tankeeper export` ist alt.', remedy: EXPORT },
  'resolvers.unused': {
    text: 'Ein Resolver ist in keinem Realm: Seine Benutzer werden nicht gefunden.',
    remedy: '`tankeeper realm set REALM --resolvers NAME`, oder `tankeeper resolver remove NAME`',
  },
  'resolvers.invalid': {
    text: 'Die Einstellungen eines Resolvers sind falsch.',
    remedy: '`tankeeper resolver set NAME`',
  },
  'resolvers.no-tls': {
    text: 'Ein Resolver liest ohne TLS von einer anderen Maschine: Logins und Passwörter werden offen übertragen.',
    remedy: 'TLS einschalten: EnforceTLS oder ldaps:// bei LDAP, sslmode=verify-full bei SQL',
  },
  'resolvers.unverified-tls': {
    text: 'Ein Resolver prüft das Zertifikat seines Servers nicht: Eine andere Maschine kann an seiner Stelle antworten.',
    remedy: ADD_CA,
  },
  'audit.no-checkpoint': {
    text: 'Zeilen des Audits sind von keinem Prüfpunkt gedeckt: Würden sie geändert oder entfernt, fiele es nicht auf.',
    remedy: 'Ein laufender Server schreibt jede Minute einen; sein Log sagt, warum er es nicht tut',
  },
};

/** By the end of the code, which begins with the name of the check. */
const GERMAN_ENDS: Readonly<Record<string, FindingWords>> = {
  overdue: {
    text: 'Eine Untersuchung wurde nicht rechtzeitig fertig.',
    remedy: '`tankeeper doctor`, wenn Maschine und Datenbank weniger zu tun haben',
  },
  failed: {
    text: 'Eine Untersuchung ist gescheitert.',
    remedy: 'Den Grund beheben, dann `tankeeper doctor`',
  },
};

/** @returns what a finding says in a language; undefined: the server's own words are in it, or the code is unknown */
export function findingWords(code: string, language: Language): FindingWords | undefined {
  if (language === 'en') {
    return undefined;
  }
  const end = code.slice(code.indexOf('.') + 1);
  return Object.hasOwn(GERMAN, code)
    ? GERMAN[code]
    : Object.hasOwn(GERMAN_ENDS, end)
      ? GERMAN_ENDS[end]
      : undefined;
}
