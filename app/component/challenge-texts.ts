interface ChallengeTexts {
  readonly scan: string;
  readonly code: string;
  readonly noCode: string;
  readonly openApp: string;
  readonly digits: string;
  readonly confirm: string;
  readonly waiting: string;
  readonly checking: string;
  readonly refused: string;
  readonly notSent: string;
  readonly accepted: string;
  readonly declined: string;
  readonly expired: string;
  readonly interrupted: string;
  readonly failed: string;
}

/** The texts for users. */
export const CHALLENGE_TEXTS: Readonly<Record<'en' | 'de', ChallengeTexts>> = {
  en: {
    scan: 'Scan this code with your QR-TAN app.',
    code: 'QR code for your QR-TAN app',
    noCode: 'The code cannot be shown. Please reload the page.',
    openApp: 'Open in the app on this device',
    digits: 'Or type the digits that the app shows',
    confirm: 'Confirm',
    waiting: 'Waiting for your confirmation.',
    checking: 'The digits are being checked.',
    refused: 'This response was not right. Please try again.',
    notSent: 'The digits could not be sent. Please try again.',
    accepted: 'Confirmed.',
    declined: 'You have declined this in your app.',
    expired: 'This can no longer be confirmed.',
    interrupted: 'The connection is interrupted. Trying again.',
    failed: 'The result cannot be shown here. Please reload the page.',
  },
  de: {
    scan: 'Lesen Sie diesen Code mit Ihrer QR-TAN-App.',
    code: 'QR-Code für Ihre QR-TAN-App',
    noCode: 'Der Code kann nicht angezeigt werden. Bitte laden Sie die Seite neu.',
    openApp: 'In der App auf diesem Gerät öffnen',
    digits: 'Oder die Ziffern aus der App eingeben',
    confirm: 'Bestätigen',
    waiting: 'Ihre Bestätigung wird erwartet.',
    checking: 'Die Ziffern werden geprüft.',
    refused: 'Diese Antwort war nicht richtig. Bitte versuchen Sie es noch einmal.',
    notSent: 'Die Ziffern konnten nicht gesendet werden. Bitte versuchen Sie es noch einmal.',
    accepted: 'Bestätigt.',
    declined: 'Sie haben das in Ihrer App abgelehnt.',
    expired: 'Das kann nicht mehr bestätigt werden.',
    interrupted: 'Die Verbindung ist unterbrochen. Es wird weiter versucht.',
    failed: 'Das Ergebnis kann hier nicht angezeigt werden. Bitte laden Sie die Seite neu.',
  },
};

export type ChallengeLanguage = keyof typeof CHALLENGE_TEXTS;
