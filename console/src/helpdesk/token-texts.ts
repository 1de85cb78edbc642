import type { Texts } from '../language/language.ts';
import type { TokenAct, UseBound } from './token-state.ts';

type ToldAct =
  | 'lost'
  | 'found'
  | 'unlock'
  | 'reset'
  | 'disable'
  | 'enable'
  | 'pin'
  | 'removePin'
  | 'describe'
  | 'assign'
  | 'unassign'
  | 'realms'
  | 'use'
  | 'remove';

interface ResyncWords {
  readonly help: string;
  readonly done: string;
  readonly failed: string;
}

interface TokenTexts {
  /** What an act has done. */
  readonly told: Readonly<Record<ToldAct, (serial: string) => string>>;
  readonly actNames: Readonly<Record<TokenAct, string>>;
  readonly reportLost: string;
  readonly lostHelp: (serial: string) => string;
  /** @param count undefined: not known */
  readonly lostOpen: (count: number | undefined) => string;
  readonly lostFactor: string;
  readonly lostAudit: string;
  readonly lostNext: string;
  readonly lostNextByOthers: string;
  readonly foundHelp: (serial: string) => string;
  readonly foundAudit: string;
  readonly newPhone: (login: string) => string;
  readonly type: string;
  /** What the types of tokens are called, where their names do not say it. */
  readonly types: Readonly<Record<string, string>>;
  readonly algorithm: string;
  readonly otp: {
    readonly digits: (count: number) => string;
    readonly each: (seconds: number) => string;
  };
  readonly failCount: (count: string, max: string) => string;
  readonly failCountName: string;
  readonly validFrom: string;
  readonly validUntil: string;
  readonly responses: string;
  readonly accepted: string;
  readonly ofMost: (count: string, max: string) => string;
  readonly maxUses: string;
  readonly useCount: string;
  readonly maxSuccesses: string;
  readonly successCount: string;
  readonly useHelp: string;
  readonly stops: (serial: string) => Readonly<Record<UseBound, string>>;
  readonly counter: string;
  readonly timeShift: string;
  readonly seconds: (count: string) => string;
  readonly created: string;
  readonly acts: string;
  readonly groups: Readonly<Record<'help' | 'change' | 'withdraw', string>>;
  readonly enrolAgain: string;
  readonly resync: ResyncWords;
  /** Of HOTP and TOTP. */
  readonly resyncOtp: ResyncWords;
  readonly first: string;
  readonly second: string;
  readonly question1: string;
  readonly question2: string;
  readonly questionHelp: string;
  readonly tokenPin: string;
  readonly pinSet: string;
  readonly pinNone: string;
  readonly pin: string;
  readonly pinAgain: string;
  readonly pinsDiffer: string;
  readonly pinHelp: string;
  readonly removePinHelp: (serial: string) => string;
  readonly assignHelp: string;
  readonly login: string;
  readonly defaultRealm: string;
  readonly unassignHelp: (login: string) => string;
  readonly realmsHelp: string;
  readonly removeHelp: (serial: string) => string;
  readonly audit: string;
  readonly save: string;
  readonly close: string;
}

export const tokenTexts: Texts<TokenTexts> = {
  en: {
    told: {
      lost: (serial) => `${serial} is reported lost: it is disabled, and its open challenges are closed.`,
      found: (serial) => `${serial} was found again and is enabled.`,
      unlock: (serial) => `${serial} is unlocked.`,
      reset: (serial) => `The fail counter of ${serial} is reset.`,
      disable: (serial) => `${serial} is disabled.`,
      enable: (serial) => `${serial} is enabled.`,
      pin: (serial) => `${serial} has a new PIN.`,
      removePin: (serial) => `${serial} has no PIN any more.`,
      describe: (serial) => `${serial} is renamed.`,
      assign: (serial) => `${serial} is assigned.`,
      unassign: (serial) => `${serial} belongs to nobody now.`,
      realms: (serial) => `The realms of ${serial} are changed.`,
      use: (serial) => `The period and the counts of use of ${serial} are changed.`,
      remove: (serial) => `${serial} is removed.`,
    },
    actNames: {
      lost: 'Phone lost',
      found: 'Found again',
      resync: 'Resynchronise',
      pin: 'Set the PIN',
      removePin: 'Remove the PIN',
      describe: 'Rename',
      use: 'Period and uses',
      assign: 'Assign',
      unassign: 'Unassign',
      realms: 'Realms',
      remove: 'Remove',
    },
    reportLost: 'Report as lost',
    lostHelp: (serial) =>
      `${serial} is disabled and takes no responses. It stays so until somebody says that it was found again.`,
    lostOpen: (count) =>
      count === undefined
        ? 'Its open challenges are closed for good.'
        : count === 0
          ? 'No challenge is open.'
          : count === 1
            ? '1 open challenge is closed for good.'
            : `${count} open challenges are closed for good.`,
    lostFactor: 'An administrator signs in with it, and cannot do so any more.',
    lostAudit: 'The audit says that it was lost.',
    lostNext: 'Afterwards the roll-out of a new phone is offered.',
    lostNextByOthers: 'A new phone is rolled out by whoever has the right to it (admin:init).',
    foundHelp: (serial) =>
      `${serial} is enabled, and takes responses again. Do this only if the phone is back with its owner and nobody else could use it meanwhile; else roll out a new one.`,
    foundAudit: 'The audit says that it was found again.',
    newPhone: (login) => `Roll out a new phone for ${login}`,
    type: 'Type',
    types: {
      ocra: 'QR-TAN (OCRA)',
      ocra2: 'QR-TAN (OCRA)',
      hmac: 'Authenticator app by a counter',
      totp: 'Authenticator app',
      pw: 'Fixed text',
      spass: 'PIN alone',
    },
    algorithm: 'Algorithm',
    otp: { digits: (count) => `${count} digits`, each: (seconds) => `every ${seconds} seconds` },
    failCountName: 'Wrong responses',
    failCount: (count, max) => `${count} in a row; locked at ${max}`,
    validFrom: 'Valid from',
    validUntil: 'Valid until',
    responses: 'Responses so far',
    accepted: 'Accepted so far',
    ofMost: (count, max) => `${count} of ${max}`,
    maxUses: 'Responses at most, right or wrong',
    useCount: 'Responses counted so far',
    maxSuccesses: 'Accepted responses at most',
    successCount: 'Accepted responses counted so far',
    useHelp: 'An empty field sets no bound. Responses are counted while a maximum is set.',
    stops: (serial) => ({
      early: `${serial} takes no responses from the moment you save until its period begins.`,
      expired: `${serial} takes no responses from the moment you save: its period has ended.`,
      'used-up': `${serial} takes no responses from the moment you save: it has been used as often as it may be.`,
    }),
    counter: 'Next counter',
    timeShift: 'Clock of the device',
    seconds: (count) => `${count} seconds ahead`,
    created: 'Enrolled',
    acts: 'Further actions',
    groups: { help: 'Help', change: 'Change', withdraw: 'Withdraw' },
    enrolAgain: 'Enrol anew',
    resync: {
      help: 'The person starts two transactions, one after the other, and reads out both responses without sending them.',
      done: 'Both responses fit. The token is in step again.',
      failed: 'The responses do not fit: wrong order, mistyped, or not the last two transactions.',
    },
    resyncOtp: {
      help: 'The person reads out two codes of the app, one right after the other, without using them.',
      done: 'Both codes fit. The token is in step again.',
      failed: 'The codes do not fit: wrong order, mistyped, or not one right after the other.',
    },
    first: 'First response',
    second: 'Second response',
    question1: 'First question',
    question2: 'Second question',
    questionHelp: 'Only if they are not the last two of this token.',
    tokenPin: 'Token PIN',
    pinSet: 'set',
    pinNone: 'none',
    pin: 'New token PIN',
    pinAgain: 'The same PIN again',
    pinsDiffer: 'The two PINs differ.',
    pinHelp: 'It is typed before each response.',
    removePinHelp: (serial) => `Responses of ${serial} are then accepted without a PIN.`,
    assignHelp: 'The token also joins the realm of its new owner. Its PIN stays.',
    login: 'Login',
    defaultRealm: 'the default realm',
    unassignHelp: (login) =>
      `The token no longer belongs to ${login}, who cannot answer with it any more. It stays in its realms.`,
    realmsHelp:
      'Separated by commas. The token will be in these and no others. Realms that you may not see stay.',
    removeHelp: (serial) =>
      `The token ${serial}, its key and its stored transactions are removed for ever. To keep a lost phone from being used, report it as lost: that is enough.`,
    audit: 'Audit',
    save: 'Save',
    close: 'Close',
  },
  de: {
    told: {
      lost: (serial) =>
        `${serial} ist als verloren gemeldet: deaktiviert, offene Challenges sind geschlossen.`,
      found: (serial) => `${serial} hat sich wiedergefunden und ist aktiviert.`,
      unlock: (serial) => `${serial} ist entsperrt.`,
      reset: (serial) => `Der Fehlerzähler von ${serial} ist zurückgesetzt.`,
      disable: (serial) => `${serial} ist deaktiviert.`,
      enable: (serial) => `${serial} ist aktiviert.`,
      pin: (serial) => `${serial} hat eine neue PIN.`,
      removePin: (serial) => `${serial} hat keine PIN mehr.`,
      describe: (serial) => `${serial} ist umbenannt.`,
      assign: (serial) => `${serial} ist zugewiesen.`,
      unassign: (serial) => `${serial} gehört jetzt niemandem.`,
      realms: (serial) => `Die Realms von ${serial} sind geändert.`,
      use: (serial) => `Zeitraum und Zähler der Nutzung von ${serial} sind geändert.`,
      remove: (serial) => `${serial} ist gelöscht.`,
    },
    actNames: {
      lost: 'Telefon verloren',
      found: 'Wiedergefunden',
      resync: 'Synchronisieren',
      pin: 'PIN setzen',
      removePin: 'PIN entfernen',
      describe: 'Umbenennen',
      use: 'Zeitraum und Nutzungen',
      assign: 'Zuweisen',
      unassign: 'Zuweisung aufheben',
      realms: 'Realms',
      remove: 'Löschen',
    },
    reportLost: 'Als verloren melden',
    lostHelp: (serial) =>
      `${serial} wird deaktiviert und nimmt keine Antworten an. Das bleibt so, bis jemand sagt, dass es sich wiedergefunden hat.`,
    lostOpen: (count) =>
      count === undefined
        ? 'Seine offenen Challenges werden endgültig geschlossen.'
        : count === 0
          ? 'Es ist keine Challenge offen.'
          : count === 1
            ? '1 offene Challenge wird endgültig geschlossen.'
            : `${count} offene Challenges werden endgültig geschlossen.`,
    lostFactor: 'Ein Administrator meldet sich damit an und kann das dann nicht mehr.',
    lostAudit: 'Im Audit steht, dass es verloren ist.',
    lostNext: 'Danach wird das Ausrollen eines neuen Telefons angeboten.',
    lostNextByOthers: 'Ein neues Telefon rollt aus, wer das Recht dazu hat (admin:init).',
    foundHelp: (serial) =>
      `${serial} wird aktiviert und nimmt wieder Antworten an. Tun Sie das nur, wenn das Telefon wieder bei der Person ist und es inzwischen niemand sonst benutzen konnte; sonst rollen Sie ein neues aus.`,
    foundAudit: 'Im Audit steht, dass es sich wiedergefunden hat.',
    newPhone: (login) => `Neues Telefon für ${login} ausrollen`,
    type: 'Art',
    types: {
      ocra: 'QR-TAN (OCRA)',
      ocra2: 'QR-TAN (OCRA)',
      hmac: 'Authenticator-App nach Zähler',
      totp: 'Authenticator-App',
      pw: 'Fester Text',
      spass: 'Nur PIN',
    },
    algorithm: 'Verfahren',
    otp: { digits: (count) => `${count} Ziffern`, each: (seconds) => `alle ${seconds} Sekunden` },
    failCountName: 'Falsche Antworten',
    failCount: (count, max) => `${count} in Folge; Sperre bei ${max}`,
    validFrom: 'Gültig ab',
    validUntil: 'Gültig bis',
    responses: 'Antworten bisher',
    accepted: 'Angenommen bisher',
    ofMost: (count, max) => `${count} von ${max}`,
    maxUses: 'Höchstens so viele Antworten, richtig oder falsch',
    useCount: 'Bisher gezählte Antworten',
    maxSuccesses: 'Höchstens so viele angenommene Antworten',
    successCount: 'Bisher gezählte angenommene Antworten',
    useHelp: 'Ein leeres Feld setzt keine Grenze. Gezählt wird, solange ein Höchstwert gesetzt ist.',
    stops: (serial) => ({
      early: `${serial} nimmt ab dem Speichern keine Antworten an, bis sein Zeitraum beginnt.`,
      expired: `${serial} nimmt ab dem Speichern keine Antworten mehr an: sein Zeitraum ist vorbei.`,
      'used-up': `${serial} nimmt ab dem Speichern keine Antworten mehr an: es ist so oft benutzt, wie es sein darf.`,
    }),
    counter: 'Nächster Zähler',
    timeShift: 'Uhr des Geräts',
    seconds: (count) => `${count} Sekunden voraus`,
    created: 'Ausgerollt',
    acts: 'Weitere Aktionen',
    groups: { help: 'Helfen', change: 'Ändern', withdraw: 'Entziehen' },
    enrolAgain: 'Neu ausrollen',
    resync: {
      help: 'Die Person beginnt nacheinander zwei Transaktionen und liest beide Antworten vor, ohne sie abzuschicken.',
      done: 'Beide Antworten passen. Das Token ist wieder im Tritt.',
      failed:
        'Die Antworten passen nicht: vertauscht, vertippt, oder es waren nicht die letzten beiden Transaktionen.',
    },
    resyncOtp: {
      help: 'Die Person liest zwei Codes der App vor, die unmittelbar aufeinander folgen, ohne sie zu benutzen.',
      done: 'Beide Codes passen. Das Token ist wieder im Tritt.',
      failed: 'Die Codes passen nicht: vertauscht, vertippt, oder sie folgten nicht unmittelbar aufeinander.',
    },
    first: 'Erste Antwort',
    second: 'Zweite Antwort',
    question1: 'Erste Frage',
    question2: 'Zweite Frage',
    questionHelp: 'Nur, wenn es nicht die letzten beiden dieses Tokens sind.',
    tokenPin: 'Token-PIN',
    pinSet: 'gesetzt',
    pinNone: 'keine',
    pin: 'Neue Token-PIN',
    pinAgain: 'Dieselbe PIN noch einmal',
    pinsDiffer: 'Die beiden PINs sind verschieden.',
    pinHelp: 'Sie wird vor jeder Antwort eingegeben.',
    removePinHelp: (serial) => `Antworten von ${serial} gelten dann ohne PIN.`,
    assignHelp: 'Das Token kommt auch in den Realm des neuen Inhabers. Seine PIN bleibt.',
    login: 'Benutzername',
    defaultRealm: 'der Standard-Realm',
    unassignHelp: (login) =>
      `Das Token gehört dann nicht mehr ${login}; Antworten damit sind nicht mehr möglich. Es bleibt in seinen Realms.`,
    realmsHelp:
      'Durch Kommas getrennt. Das Token ist dann in diesen und keinen anderen. Realms, die Sie nicht sehen dürfen, bleiben.',
    removeHelp: (serial) =>
      `Das Token ${serial}, sein Schlüssel und seine gespeicherten Transaktionen werden endgültig gelöscht. Damit ein verlorenes Telefon nicht benutzt wird, reicht es, das Token zu deaktivieren.`,
    audit: 'Audit',
    save: 'Speichern',
    close: 'Schließen',
  },
};
