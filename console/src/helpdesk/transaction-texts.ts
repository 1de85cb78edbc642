import type { Texts } from '../language/language.ts';

type EventKind =
  | 'issued'
  | 'wrong'
  | 'accepted'
  | 'given up'
  | 'refused'
  | 'expired'
  | 'superseded'
  | 'declined'
  | 'reported'
  | 'other';

interface TransactionTexts {
  readonly data: string;
  readonly withheld: string;
  readonly gone: string;
  readonly code: string;
  readonly qrCode: string;
  readonly waiting: string;
  readonly timeline: string;
  readonly events: Readonly<Record<EventKind, string>>;
  /** By the words of the server; left out: these. */
  readonly reasons: Readonly<Record<string, string>>;
  /** By the action of the audit; left out: that. */
  readonly actions: Readonly<Record<string, string>>;
  readonly by: (actor: string) => string;
  readonly from: (client: string) => string;
  readonly nextSteps: string;
  readonly stepsHelp: (serial: string) => string;
  /** Where the fault is none of the token's. */
  readonly nothingToMend: (serial: string) => string;
  readonly reportedHelp: string;
  readonly derived: string;
  readonly more: (count: string) => string;
}

/** The server's words for the reason of a wrong response of such a token. */
export const OUT_OF_STEP = 'the token is out of step';
/** Likewise, of a wrong PIN before a right response. */
export const PIN_WRONG = 'the response was right, the PIN was wrong';

/** The server's words for “this was not me” after the transaction had ended, perhaps by an accepted response. */
export const REPORTED_LATE = 'reported too late: this was not me';

/** Likewise, where the transaction was declined or reported before. */
export const REPORTED_AGAIN = 'reported again: this was not me';

export const transactionTexts: Texts<TransactionTexts> = {
  en: {
    data: 'Display data',
    withheld: 'You have no right to see it (admin:transactiondata).',
    gone: 'The challenge is no longer stored; the audit tells its history.',
    code: 'Code for the app',
    qrCode: 'QR code of the challenge',
    waiting: 'The app scans it. This page shows the response as soon as it comes.',
    timeline: 'What happened',
    events: {
      issued: 'Issued',
      wrong: 'Wrong response',
      accepted: 'Accepted',
      'given up': 'Given up',
      refused: 'Refused',
      expired: 'Expired',
      superseded: 'Replaced by a newer one',
      declined: 'Declined on the device',
      reported: 'Reported on the device: this was not me',
      other: 'Other',
    },
    reasons: {},
    actions: {
      'ocra/request': 'requested by the portal',
      'ocra/check_t': 'sent with the transaction',
      'cli/check_t': 'response at the command line',
      'validate/check': 'response with a login',
      'validate/check_s': 'response with a serial',
      'validate/check_t': 'response with a transaction',
      'validate/simplecheck': 'response with a login',
      'validate/samlcheck': 'response with a login',
      'admin/init': 'enrolment',
      'token/resync': 'resynchronisation',
    },
    by: (actor) => `by ${actor}`,
    from: (client) => `from ${client}`,
    nextSteps: 'Next step',
    stepsHelp: (serial) => `What mends ${serial}, as far as you may do it:`,
    nothingToMend: (serial) =>
      `${serial} itself is in order: let the person start anew and read the response from the app.`,
    reportedHelp:
      'The person says: this was not me. Somebody else may know their password: verify the caller, and have it changed. If the phone may be in other hands, too, report it lost.',
    derived: 'not in the audit: it follows from the challenge',
    more: (count) => `${count} further events are left out. The audit has them.`,
  },
  de: {
    data: 'Anzeigedaten',
    withheld: 'Sie haben kein Recht, sie zu sehen (admin:transactiondata).',
    gone: 'Die Challenge ist nicht mehr gespeichert; ihre Geschichte steht im Audit.',
    code: 'Code für die App',
    qrCode: 'QR-Code der Challenge',
    waiting: 'Die App scannt ihn. Diese Seite zeigt die Antwort, sobald sie da ist.',
    timeline: 'Was geschah',
    events: {
      issued: 'Ausgestellt',
      wrong: 'Falsche Antwort',
      accepted: 'Angenommen',
      'given up': 'Aufgegeben',
      refused: 'Abgelehnt',
      expired: 'Abgelaufen',
      superseded: 'Durch eine neuere ersetzt',
      declined: 'Auf dem Gerät abgelehnt',
      reported: 'Auf dem Gerät gemeldet: Das war ich nicht',
      other: 'Sonstiges',
    },
    reasons: {
      'wrong response or PIN': 'falsche Antwort oder PIN',
      [OUT_OF_STEP]: 'das Token ist aus dem Tritt',
      [PIN_WRONG]: 'die Antwort war richtig, die PIN war falsch',
      'the PIN was right, the response was wrong': 'die PIN war richtig, die Antwort war falsch',
      'too many wrong responses': 'zu viele falsche Antworten',
      'replay: a response was accepted before': 'Wiederholung: Eine Antwort wurde schon angenommen',
      'the challenge is declined, given up or superseded':
        'die Challenge ist abgelehnt, aufgegeben oder ersetzt',
      'declined too late': 'zu spät abgelehnt',
      'declined again': 'nochmals abgelehnt',
      [REPORTED_AGAIN]: 'nochmals gemeldet: Das war ich nicht',
      [REPORTED_LATE]: 'zu spät gemeldet: Das war ich nicht',
      'a decline that the token has not signed': 'eine Ablehnung, die das Token nicht unterschrieben hat',
      'the challenge has expired': 'die Challenge ist abgelaufen',
      'the token is disabled': 'das Token ist deaktiviert',
      'the token is locked': 'das Token ist gesperrt',
      'the token has no key to verify with': 'das Token hat keinen Schlüssel zum Prüfen',
      'a newer challenge, key or owner': 'eine neuere Challenge, ein neuer Schlüssel oder Inhaber',
    },
    actions: {
      'ocra/request': 'vom Portal angefordert',
      'ocra/check_t': 'mit der Transaktion gesendet',
      'cli/check_t': 'Antwort auf der Kommandozeile',
      'validate/check': 'Antwort mit einem Login',
      'validate/check_s': 'Antwort mit einer Seriennummer',
      'validate/check_t': 'Antwort mit einer Transaktion',
      'validate/simplecheck': 'Antwort mit einem Login',
      'validate/samlcheck': 'Antwort mit einem Login',
      'admin/init': 'Ausrollen',
      'token/resync': 'Synchronisierung',
    },
    by: (actor) => `durch ${actor}`,
    from: (client) => `von ${client}`,
    nextSteps: 'Nächster Schritt',
    stepsHelp: (serial) => `Was ${serial} hilft, soweit Sie es tun dürfen:`,
    nothingToMend: (serial) =>
      `${serial} selbst ist in Ordnung: Die Person soll neu beginnen und die Antwort der App ablesen.`,
    reportedHelp:
      'Die Person sagt: Das war ich nicht. Jemand anderes kennt vielleicht ihr Passwort: Prüfen Sie, wer anruft, und lassen Sie es ändern. Ist vielleicht auch das Telefon in fremder Hand, melden Sie es als verloren.',
    derived: 'nicht im Audit: ergibt sich aus der Challenge',
    more: (count) => `${count} weitere Ereignisse sind ausgelassen. Sie stehen im Audit.`,
  },
};
