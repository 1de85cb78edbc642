import type { Texts } from '../language/language.ts';
import type { Refusal } from './refusal.ts';

/** The fault, and the remedy. */
interface RefusalText {
  readonly title: string;
  readonly advice: string;
}

export const refusalTexts: Texts<Record<Refusal, RefusalText>> = {
  en: {
    empty: { title: 'The code is empty', advice: 'Scan the code once more, or paste its text.' },
    otpauth: {
      title: 'This is a code of another system',
      advice:
        'It begins with otpauth:// and is meant for an authenticator app that shows changing numbers. This app reads QR-TAN codes.',
    },
    'otpauth-migration': {
      title: 'This is the export of an authenticator app',
      advice: 'It begins with otpauth-migration://. This app reads QR-TAN codes.',
    },
    'web-link': {
      title: 'This is a link to a web page',
      advice:
        'It is no QR-TAN code, and the app does not open it. Scan the code that you are shown for confirmation.',
    },
    'other-text': {
      title: 'This is no QR-TAN code',
      advice: 'QR-TAN codes begin with lseqr://. Scan the code that you are shown for confirmation.',
    },
    torn: {
      title: 'The code is incomplete',
      advice: 'Its end is missing. Scan it once more, or copy the whole text.',
    },
    'unknown-kind': {
      title: 'This kind of code is unknown',
      advice: 'The app may be too old for it. Load a new version, or ask the people who sent you the code.',
    },
    malformed: { title: 'The code is damaged', advice: 'Scan it once more, or ask for a new one.' },
    'serial-missing': {
      title: 'The code names no token',
      advice: 'The serial number is missing. Ask for a new code.',
    },
    'serial-unknown': {
      title: 'The first code is missing',
      advice: 'This is the second code of a new token. Scan the first one on this device before.',
    },
    'secret-length': {
      title: 'The code is not safe',
      advice: 'Its key has an unusual length. Nothing was stored. Ask for a new code.',
    },
    'callback-missing': {
      title: 'The code does not say where the answer goes',
      advice:
        'Such codes are refused here. If the issuer of your token uses them, allow “codes without an address” in the settings.',
    },
    'activation-signature': {
      title: 'Activation code and QR code do not match',
      advice:
        'Either the activation code belongs to another token, or this QR code does not come from its issuer. Nothing was confirmed.',
    },
    signature: {
      title: 'This code is not for you',
      advice:
        'None of your tokens recognises its signature. It belongs to another device, or it was changed by someone. Nothing was confirmed.',
    },
    suite: {
      title: 'The app does not know this method',
      advice: 'The code asks for a calculation that the app does not have. Nothing was stored.',
    },
    question: {
      title: 'The code contradicts itself',
      advice: 'Its question does not fit the token. Nothing was confirmed. Ask for a new code.',
    },
    'activation-code': {
      title: 'The activation code is wrong',
      advice: 'Compare it with your letter, character by character.',
    },
    'callback-url': {
      title: 'The answer would go to a forbidden address',
      advice: 'The code names no web address. Nothing was confirmed. Tell the issuer of your token about it.',
    },
    counter: {
      title: 'This token is used up',
      advice: 'Its counter has reached the end. Ask for a new token.',
    },
    'counter-used': {
      title: 'Another window was faster',
      advice:
        'This token was used in another window of the app at the same time. Nothing was sent from here. Scan the code again.',
    },
    'storage-full': {
      title: 'The storage of this device is full',
      advice: 'Nothing was changed and nothing was sent. Free some space and try again.',
    },
    'storage-failed': {
      title: 'The device could not store the data',
      advice: 'Nothing was sent. Load the page again and try once more.',
    },
    locked: { title: 'The app is locked', advice: 'Unlock it and scan the code again.' },
    unexpected: {
      title: 'Something went wrong',
      advice: 'Nothing was sent. Load the page again and try once more.',
    },
  },
  de: {
    empty: {
      title: 'Der Code ist leer',
      advice: 'Scannen Sie den Code noch einmal, oder fügen Sie seinen Text ein.',
    },
    otpauth: {
      title: 'Dieser Code gehört zu einem anderen System',
      advice:
        'Er beginnt mit otpauth:// und ist für eine Authenticator-App, die wechselnde Zahlen zeigt. Diese App liest QR-TAN-Codes.',
    },
    'otpauth-migration': {
      title: 'Das ist der Export einer Authenticator-App',
      advice: 'Der Code beginnt mit otpauth-migration://. Diese App liest QR-TAN-Codes.',
    },
    'web-link': {
      title: 'Das ist ein Link zu einer Webseite',
      advice:
        'Er ist kein QR-TAN-Code, und die App öffnet ihn nicht. Scannen Sie den Code, den man Ihnen zur Bestätigung zeigt.',
    },
    'other-text': {
      title: 'Das ist kein QR-TAN-Code',
      advice:
        'QR-TAN-Codes beginnen mit lseqr://. Scannen Sie den Code, den man Ihnen zur Bestätigung zeigt.',
    },
    torn: {
      title: 'Der Code ist unvollständig',
      advice: 'Sein Ende fehlt. Scannen Sie ihn noch einmal, oder kopieren Sie den ganzen Text.',
    },
    'unknown-kind': {
      title: 'Diese Art von Code ist unbekannt',
      advice:
        'Vielleicht ist die App zu alt dafür. Laden Sie eine neue Version, oder fragen Sie dort nach, woher der Code kommt.',
    },
    malformed: {
      title: 'Der Code ist beschädigt',
      advice: 'Scannen Sie ihn noch einmal, oder bitten Sie um einen neuen.',
    },
    'serial-missing': {
      title: 'Der Code nennt kein Token',
      advice: 'Die Seriennummer fehlt. Bitten Sie um einen neuen Code.',
    },
    'serial-unknown': {
      title: 'Der erste Code fehlt',
      advice: 'Das ist der zweite Code eines neuen Tokens. Scannen Sie vorher den ersten mit diesem Gerät.',
    },
    'secret-length': {
      title: 'Der Code ist nicht sicher',
      advice:
        'Sein Schlüssel hat eine ungewöhnliche Länge. Es wurde nichts gespeichert. Bitten Sie um einen neuen Code.',
    },
    'callback-missing': {
      title: 'Der Code sagt nicht, wohin die Antwort geht',
      advice:
        'Solche Codes werden hier abgelehnt. Wenn der Herausgeber Ihres Tokens sie verwendet, erlauben Sie in den Einstellungen „Codes ohne Adresse“.',
    },
    'activation-signature': {
      title: 'Aktivierungscode und QR-Code passen nicht zusammen',
      advice:
        'Entweder gehört der Aktivierungscode zu einem anderen Token, oder dieser QR-Code kommt nicht von seinem Herausgeber. Es wurde nichts bestätigt.',
    },
    signature: {
      title: 'Dieser Code ist nicht für Sie',
      advice:
        'Keines Ihrer Token erkennt seine Unterschrift. Er gehört zu einem anderen Gerät, oder jemand hat ihn verändert. Es wurde nichts bestätigt.',
    },
    suite: {
      title: 'Die App kennt dieses Verfahren nicht',
      advice: 'Der Code verlangt eine Rechnung, die die App nicht hat. Es wurde nichts gespeichert.',
    },
    question: {
      title: 'Der Code widerspricht sich',
      advice: 'Seine Frage passt nicht zum Token. Es wurde nichts bestätigt. Bitten Sie um einen neuen Code.',
    },
    'activation-code': {
      title: 'Der Aktivierungscode ist falsch',
      advice: 'Vergleichen Sie ihn Zeichen für Zeichen mit Ihrem Brief.',
    },
    'callback-url': {
      title: 'Die Antwort ginge an eine verbotene Adresse',
      advice:
        'Der Code nennt keine Web-Adresse. Es wurde nichts bestätigt. Melden Sie das dem Herausgeber Ihres Tokens.',
    },
    counter: {
      title: 'Dieses Token ist aufgebraucht',
      advice: 'Sein Zähler ist am Ende. Bitten Sie um ein neues Token.',
    },
    'counter-used': {
      title: 'Ein anderes Fenster war schneller',
      advice:
        'Dieses Token wurde gleichzeitig in einem anderen Fenster der App verwendet. Von hier wurde nichts gesendet. Scannen Sie den Code noch einmal.',
    },
    'storage-full': {
      title: 'Der Speicher dieses Geräts ist voll',
      advice:
        'Es wurde nichts verändert und nichts gesendet. Schaffen Sie Platz und versuchen Sie es noch einmal.',
    },
    'storage-failed': {
      title: 'Das Gerät konnte die Daten nicht speichern',
      advice: 'Es wurde nichts gesendet. Laden Sie die Seite neu und versuchen Sie es noch einmal.',
    },
    locked: { title: 'Die App ist gesperrt', advice: 'Entsperren Sie sie und scannen Sie den Code neu.' },
    unexpected: {
      title: 'Etwas ist schiefgegangen',
      advice: 'Es wurde nichts gesendet. Laden Sie die Seite neu und versuchen Sie es noch einmal.',
    },
  },
};
