import type { DisplayFault, DisplayVerdict } from '../../../src/device/display-text.ts';
import type { Texts } from '../language/language.ts';
import type { DeclineKind } from '../../../src/ocra/decline.ts';
import type { DeclineOutcome, DigitsReason } from './answer-challenge.ts';

interface FlowTexts {
  readonly opening: string;
  readonly refusedMark: string;
  readonly scanAgain: string;
  readonly toTokens: string;
  readonly cancel: string;
  readonly serial: string;
  readonly token: string;
  readonly issuer: string;

  readonly addTitle: string;
  readonly addText: string;
  readonly add: string;
  readonly replaceWarning: string;
  readonly replace: string;
  readonly addedTitle: string;
  readonly added: (serial: string) => string;
  readonly addedNext: string;
  readonly scanSecond: string;

  readonly activationTitle: string;
  readonly activationText: (serial: string) => string;
  readonly activationLabel: string;
  readonly activationHint: string;
  readonly activationWrong: (place: number, character: string) => string;
  readonly activationMissing: (count: number) => string;
  readonly activationMistyped: string;
  readonly activationRight: string;
  readonly activationRead: string;
  readonly continue: string;

  readonly confirmTitle: string;
  readonly refusedTitle: string;
  readonly confirmHint: string;
  readonly displayData: string;
  readonly displayEmpty: string;
  readonly displayFaults: Readonly<Record<DisplayFault, string>>;
  readonly displayVerdicts: Readonly<Record<Exclude<DisplayVerdict, 'faithful'>, string>>;
  readonly goesTo: string;
  readonly typedElsewhere: string;
  readonly earlier: (outcome: string, time: string) => string;
  /** After a refusal, where the clock of the server is not known. */
  readonly clockCause: string;
  readonly clock: (minutes: string, isBehind: boolean) => string;
  readonly pin: string;
  readonly pinHint: string;
  readonly pinMissing: string;
  readonly confirm: string;
  readonly declines: Readonly<Record<DeclineKind, string>>;
  readonly sending: string;

  readonly acceptedTitle: string;
  readonly accepted: (host: string) => string;
  readonly notAcceptedTitle: string;
  readonly notAccepted: string;
  readonly retry: string;
  readonly digitsTitle: string;
  readonly digitsReasons: Readonly<Record<DigitsReason, string>>;
  readonly digitsLabel: string;
  /** Of a token that a backup brought, after a refusal. */
  readonly restored: Readonly<
    Record<'cause' | 'move' | 'moved' | 'first' | 'both' | 'settle' | 'settled' | 'failed', string>
  >;
  readonly copy: string;
  readonly copied: string;
  readonly copyFailed: string;
  readonly declinedTitles: Readonly<Record<DeclineKind | 'refused' | 'unknown', string>>;
  readonly declineOutcomes: Readonly<Record<DeclineOutcome, (host: string) => string>>;
  /** Where no answer was sent or shown before. */
  readonly unconfirmed: string;
  readonly answeredBefore: string;
  /** After a decline in phase 2 of a roll-out. */
  readonly rollOutUndone: (serial: string) => string;
  readonly declinedAdvice: Readonly<Record<DeclineKind, string>>;
  readonly sendAgain: string;
  readonly done: string;
}

export const flowTexts: Texts<FlowTexts> = {
  en: {
    opening: 'The code is being opened …',
    refusedMark: 'Refused',
    scanAgain: 'Scan a code',
    toTokens: 'To the tokens',
    cancel: 'Cancel',
    serial: 'Serial number',
    token: 'Token',
    issuer: 'Issuer',

    addTitle: 'Add this token?',
    addText: 'Add it only if you expect it. Compare the serial number with your letter.',
    add: 'Add the token',
    replaceWarning:
      'This device has a token with this serial number already. It is replaced and cannot be used any more: it must be activated anew with the second code.',
    replace: 'Replace my token',
    addedTitle: 'The first step is done',
    added: (serial) => `The token ${serial} is stored on this device.`,
    addedNext:
      'Now comes the second code. Have your activation code ready: it is in your letter or on the other screen.',
    scanSecond: 'Scan the second code',

    activationTitle: 'Enter the activation code',
    activationText: (serial) => `It belongs to the token ${serial}.`,
    activationLabel: 'Activation code',
    activationHint: 'Usually 18 letters and digits. Small letters, blanks and dashes do not matter.',
    activationWrong: (place, character) =>
      `Character ${String(place)} (${character}) cannot be in an activation code.`,
    activationMissing: (count) =>
      count === 1 ? 'One character is missing.' : `${String(count)} characters are missing.`,
    activationMistyped: 'Something is mistyped: the check digits do not fit. Compare each character.',
    activationRight: 'The code is complete and without a typing error.',
    activationRead: 'Read as',
    continue: 'Continue',

    confirmTitle: 'Do you want to confirm this?',
    refusedTitle: 'This cannot be confirmed',
    confirmHint: 'Read every word. Confirm only what you want yourself.',
    displayData: 'To be confirmed',
    displayEmpty: 'The code contains no text. Confirm only if you know what this is for.',
    displayFaults: {
      'bidi-control': 'It contains signs that turn the order of the letters around.',
      invisible: 'It contains invisible characters.',
      'mixed-scripts': 'A word mixes letters of several alphabets, so it may not be what it looks like.',
      'latin-impostor': 'A word is written in foreign letters that look like ours.',
      'stacked-marks': 'It contains letters with heaps of accents that cover others.',
    },
    displayVerdicts: {
      doubtful: 'The marked words may not be what they look like. Confirm only if you expect them.',
      refused: 'This text is not what it looks like. Tell the issuer of the token about it.',
    },
    goesTo: 'The answer goes to',
    typedElsewhere: 'After that you see digits that you type on the other screen.',
    earlier: (outcome, time) =>
      `You have answered this once already: ${outcome} (${time}). A second answer is normally not accepted.`,
    clockCause: 'Its digits depend on the time: if the clock of this device is wrong, set it right.',
    clock: (minutes, isBehind) =>
      `The clock of this device is ${minutes} ${isBehind ? 'behind' : 'ahead of'} the server’s. The app takes that into account; set the clock right all the same.`,
    pin: 'PIN of this token',
    pinHint: 'Not the PIN with which you unlock the app, unless you chose the same.',
    pinMissing: 'Enter the PIN of this token.',
    confirm: 'Confirm',
    declines: { declined: 'Decline', reported: 'This was not me' },
    sending: 'Sending …',

    acceptedTitle: 'Confirmed',
    accepted: (host) => `${host} has accepted your confirmation.`,
    notAcceptedTitle: 'Not accepted',
    notAccepted:
      'The server has refused the answer, which had no effect. It may have come too late, an earlier answer may have counted, or the PIN is wrong.',
    retry: 'Try once more',
    digitsTitle: 'Type these digits',
    digitsReasons: {
      'no-address': 'Type them where you were asked for them. They are valid for this one confirmation.',
      'insecure-address':
        'The code names an address without encryption, so the app sends nothing. Type the digits where you were asked for them.',
      'out-of-step':
        'Nothing was sent: this token comes from a backup, and further refusals would lock it. Type the digits where you were asked for them, or read them to the issuer of the token.',
      offline:
        'This device has no network, so nothing was sent. Type the digits where you were asked for them.',
      'no-answer':
        'No answer came back. The confirmation may have arrived all the same. If the other screen does not go on, type the digits there.',
      'no-verdict':
        'The server answered, but the app cannot tell whether it accepted. If the other screen does not go on, type the digits there.',
    },
    restored: {
      cause:
        'The likely cause: this token comes from a backup, and more than ten answers were given since. Moved ahead, its issuer can set it right; without need, it is out of step.',
      move: 'Move the token ahead',
      moved:
        'It is moved ahead. Scan the next two codes: the second may be accepted. If not, read the digits of both to the issuer, who sets the token right.',
      first: 'Keep these digits, and scan the next code: it may be accepted.',
      both: 'Read the digits of the code before, and these, to the issuer, who sets the token right by them (resynchronisation).',
      settle: 'The issuer has set it right',
      settled: 'The next answer is sent again.',
      failed: 'The device could not store that. Try again.',
    },
    digitsLabel: 'Digits',
    copy: 'Copy',
    copied: 'Copied.',
    copyFailed: 'The browser does not allow copying. Type the digits.',
    declinedTitles: {
      declined: 'Declined',
      reported: 'Reported: this was not you',
      refused: 'Not taken by the issuer',
      unknown: 'The issuer may not know yet',
    },
    declineOutcomes: {
      accepted: (host) => `${host} knows. Nothing can be confirmed with this code any more.`,
      refused: (host) =>
        `It was not taken by ${host}: this may have been confirmed, replaced or over before. Send it again, or ask the issuer what was carried out.`,
      offline: () =>
        'This device has no network, so the issuer does not know yet. Send it again when there is a network.',
      'no-answer': () => 'No answer came back, so the issuer may not know yet.',
      'no-verdict': () => 'The server does not say whether it has understood.',
      'no-address': () => 'Nothing was sent, as the code names no address for it.',
      'insecure-address': () => 'Nothing was sent, as the code names an address without encryption.',
    },
    unconfirmed: 'Nothing is confirmed without you: the code ends by itself.',
    answeredBefore:
      'You have answered this once already, so it may have been confirmed: ask the issuer of the token what was carried out.',
    rollOutUndone: (serial) =>
      `If the roll-out of the token ${serial} was not complete, it ends with this: the token must be rolled out anew, from the first code.`,
    declinedAdvice: {
      declined: 'If you did not start this yourself, tell the issuer of the token.',
      reported: 'Somebody else may know your password. Tell the issuer of the token, and change it.',
    },
    sendAgain: 'Send again',
    done: 'Done',
  },
  de: {
    opening: 'Der Code wird geöffnet …',
    refusedMark: 'Abgelehnt',
    scanAgain: 'Code scannen',
    toTokens: 'Zu den Token',
    cancel: 'Abbrechen',
    serial: 'Seriennummer',
    token: 'Token',
    issuer: 'Herausgeber',

    addTitle: 'Dieses Token hinzufügen?',
    addText:
      'Fügen Sie es nur hinzu, wenn Sie es erwarten. Vergleichen Sie die Seriennummer mit Ihrem Brief.',
    add: 'Token hinzufügen',
    replaceWarning:
      'Auf diesem Gerät gibt es schon ein Token mit dieser Seriennummer. Es wird ersetzt und ist dann nicht mehr verwendbar: Es muss mit dem zweiten Code neu aktiviert werden.',
    replace: 'Mein Token ersetzen',
    addedTitle: 'Der erste Schritt ist getan',
    added: (serial) => `Das Token ${serial} ist auf diesem Gerät gespeichert.`,
    addedNext:
      'Jetzt kommt der zweite Code. Halten Sie Ihren Aktivierungscode bereit: Er steht in Ihrem Brief oder auf dem anderen Bildschirm.',
    scanSecond: 'Zweiten Code scannen',

    activationTitle: 'Aktivierungscode eingeben',
    activationText: (serial) => `Er gehört zum Token ${serial}.`,
    activationLabel: 'Aktivierungscode',
    activationHint:
      'Meist 18 Buchstaben und Ziffern. Kleine Buchstaben, Leerzeichen und Striche spielen keine Rolle.',
    activationWrong: (place, character) =>
      `Das ${String(place)}. Zeichen (${character}) kann in keinem Aktivierungscode stehen.`,
    activationMissing: (count) =>
      count === 1 ? 'Es fehlt noch ein Zeichen.' : `Es fehlen noch ${String(count)} Zeichen.`,
    activationMistyped: 'Etwas ist vertippt: Die Prüfziffern passen nicht. Vergleichen Sie jedes Zeichen.',
    activationRight: 'Der Code ist vollständig und ohne Tippfehler.',
    activationRead: 'Gelesen als',
    continue: 'Weiter',

    confirmTitle: 'Möchten Sie das bestätigen?',
    refusedTitle: 'Das lässt sich nicht bestätigen',
    confirmHint: 'Lesen Sie jedes Wort. Bestätigen Sie nur, was Sie selbst möchten.',
    displayData: 'Zu bestätigen',
    displayEmpty: 'Der Code enthält keinen Text. Bestätigen Sie nur, wenn Sie wissen, wofür.',
    displayFaults: {
      'bidi-control': 'Er enthält Zeichen, die die Reihenfolge der Buchstaben umdrehen.',
      invisible: 'Er enthält unsichtbare Zeichen.',
      'mixed-scripts':
        'Ein Wort mischt Buchstaben mehrerer Alphabete und ist vielleicht nicht das, wonach es aussieht.',
      'latin-impostor': 'Ein Wort besteht aus fremden Buchstaben, die wie unsere aussehen.',
      'stacked-marks': 'Er enthält Buchstaben mit so vielen Akzenten, dass sie andere verdecken.',
    },
    displayVerdicts: {
      doubtful:
        'Die markierten Wörter sind vielleicht nicht das, wonach sie aussehen. Bestätigen Sie nur, wenn Sie sie so erwarten.',
      refused: 'Dieser Text ist nicht das, wonach er aussieht. Melden Sie das dem Herausgeber des Tokens.',
    },
    goesTo: 'Die Antwort geht an',
    typedElsewhere: 'Danach sehen Sie Ziffern, die Sie auf dem anderen Bildschirm eintippen.',
    earlier: (outcome, time) =>
      `Das haben Sie schon einmal beantwortet: ${outcome} (${time}). Eine zweite Antwort wird in der Regel nicht angenommen.`,
    clockCause:
      'Die Ziffern hängen von der Zeit ab: Geht die Uhr dieses Geräts falsch, stellen Sie sie richtig.',
    clock: (minutes, isBehind) =>
      `Die Uhr dieses Geräts geht gegenüber dem Server ${minutes} ${isBehind ? 'nach' : 'vor'}. Die App berücksichtigt das; stellen Sie die Uhr trotzdem richtig.`,
    pin: 'PIN dieses Tokens',
    pinHint: 'Nicht die PIN zum Entsperren der App, außer Sie haben dieselbe gewählt.',
    pinMissing: 'Geben Sie die PIN dieses Tokens ein.',
    confirm: 'Bestätigen',
    declines: { declined: 'Ablehnen', reported: 'Das war ich nicht' },
    sending: 'Wird gesendet …',

    acceptedTitle: 'Bestätigt',
    accepted: (host) => `${host} hat Ihre Bestätigung angenommen.`,
    notAcceptedTitle: 'Nicht angenommen',
    notAccepted:
      'Der Server hat die Antwort abgelehnt, sie hat nichts bewirkt. Vielleicht kam sie zu spät, es gilt schon eine frühere Antwort, oder die PIN ist falsch.',
    retry: 'Noch einmal versuchen',
    digitsTitle: 'Tippen Sie diese Ziffern ein',
    digitsReasons: {
      'no-address':
        'Tippen Sie sie dort ein, wo Sie danach gefragt wurden. Sie gelten für diese eine Bestätigung.',
      'insecure-address':
        'Der Code nennt eine Adresse ohne Verschlüsselung, deshalb sendet die App nichts. Tippen Sie die Ziffern dort ein, wo Sie danach gefragt wurden.',
      'out-of-step':
        'Es wurde nichts gesendet: Dieses Token kommt aus einer Sicherung, und weitere Ablehnungen würden es sperren. Tippen Sie die Ziffern dort ein, wo Sie danach gefragt wurden, oder lesen Sie sie dem Herausgeber des Tokens vor.',
      offline:
        'Dieses Gerät hat kein Netz, es wurde nichts gesendet. Tippen Sie die Ziffern dort ein, wo Sie danach gefragt wurden.',
      'no-answer':
        'Es kam keine Antwort zurück. Die Bestätigung kann trotzdem angekommen sein. Wenn es auf dem anderen Bildschirm nicht weitergeht, tippen Sie die Ziffern dort ein.',
      'no-verdict':
        'Der Server hat geantwortet, aber die App erkennt nicht, ob er angenommen hat. Wenn es auf dem anderen Bildschirm nicht weitergeht, tippen Sie die Ziffern dort ein.',
    },
    restored: {
      cause:
        'Die wahrscheinliche Ursache: Dieses Token kommt aus einer Sicherung, und seitdem gab es mehr als zehn Antworten. Vorgestellt kann sein Herausgeber es richtigstellen; ohne Not ist es danach aus dem Takt.',
      move: 'Token vorstellen',
      moved:
        'Es ist vorgestellt. Scannen Sie die nächsten zwei Codes: Der zweite wird vielleicht angenommen. Wenn nicht, lesen Sie die Ziffern beider dem Herausgeber vor, der das Token richtigstellt.',
      first: 'Notieren Sie diese Ziffern, und scannen Sie den nächsten Code: Er wird vielleicht angenommen.',
      both: 'Lesen Sie die Ziffern des vorigen Codes und diese dem Herausgeber vor: Er stellt das Token damit richtig (Resynchronisation).',
      settle: 'Der Herausgeber hat es richtiggestellt',
      settled: 'Die nächste Antwort wird wieder gesendet.',
      failed: 'Das Gerät konnte das nicht speichern. Versuchen Sie es noch einmal.',
    },
    digitsLabel: 'Ziffern',
    copy: 'Kopieren',
    copied: 'Kopiert.',
    copyFailed: 'Der Browser erlaubt das Kopieren nicht. Tippen Sie die Ziffern ab.',
    declinedTitles: {
      declined: 'Abgelehnt',
      reported: 'Gemeldet: Das waren nicht Sie',
      refused: 'Vom Herausgeber nicht angenommen',
      unknown: 'Der Herausgeber weiß es vielleicht noch nicht',
    },
    declineOutcomes: {
      accepted: (host) => `${host} weiß Bescheid. Mit diesem Code lässt sich nichts mehr bestätigen.`,
      refused: (host) =>
        `Es wurde von ${host} nicht angenommen: Vielleicht war es schon bestätigt, ersetzt oder abgelaufen. Senden Sie es noch einmal, oder fragen Sie den Herausgeber, was ausgeführt wurde.`,
      offline: () =>
        'Dieses Gerät hat kein Netz, der Herausgeber weiß also noch nicht Bescheid. Senden Sie es noch einmal, sobald es ein Netz gibt.',
      'no-answer': () => 'Es kam keine Antwort zurück, der Herausgeber weiß vielleicht noch nicht Bescheid.',
      'no-verdict': () => 'Der Server sagt nicht, ob er verstanden hat.',
      'no-address': () => 'Es wurde nichts gesendet, denn der Code nennt keine Adresse dafür.',
      'insecure-address': () =>
        'Es wurde nichts gesendet, denn der Code nennt eine Adresse ohne Verschlüsselung.',
    },
    unconfirmed: 'Ohne Sie wird nichts bestätigt: Der Code läuft von selbst ab.',
    answeredBefore:
      'Sie haben das schon einmal beantwortet, es ist also vielleicht bestätigt: Fragen Sie den Herausgeber des Tokens, was ausgeführt wurde.',
    rollOutUndone: (serial) =>
      `War das Ausrollen des Tokens ${serial} noch nicht abgeschlossen, so endet es damit: Das Token muss neu ausgerollt werden, ab dem ersten Code.`,
    declinedAdvice: {
      declined: 'Wenn Sie das nicht selbst veranlasst haben, melden Sie es dem Herausgeber des Tokens.',
      reported:
        'Jemand anderes kennt vielleicht Ihr Kennwort. Melden Sie das dem Herausgeber des Tokens, und ändern Sie es.',
    },
    sendAgain: 'Noch einmal senden',
    done: 'Fertig',
  },
};
