import type { Texts } from '../language/language.ts';
import type { CameraFault } from './camera.ts';
import type { PictureOutcome } from './picture.ts';

type PictureFault = Exclude<PictureOutcome['kind'], 'code'>;

interface ScanTexts {
  readonly title: string;
  readonly hint: string;
  readonly camera: string;
  readonly starting: string;
  readonly searching: string;
  readonly advice: string;
  readonly lampOn: string;
  readonly lampOff: string;
  readonly again: string;
  readonly otherWays: string;
  readonly picture: string;
  readonly readingPicture: string;
  readonly paste: string;
  readonly pasteHint: string;
  readonly open: string;
  readonly nothingPasted: string;
  readonly faults: Readonly<Record<CameraFault | 'reader', string>>;
  readonly pictureFaults: Readonly<Record<PictureFault, string>>;
}

export const scanTexts: Texts<ScanTexts> = {
  en: {
    title: 'Scan a code',
    hint: 'Hold the camera in front of the QR code on the other screen or on the letter.',
    camera: 'Picture of the camera',
    starting: 'The camera is starting. Allow the access if you are asked.',
    searching: 'Looking for a code …',
    advice:
      'No code found yet. Go nearer, make more light, or use one of the ways below: a picture of the code, or its text.',
    lampOn: 'Light on',
    lampOff: 'Light off',
    again: 'Try the camera again',
    otherWays: 'Without the camera',
    picture: 'Choose a picture of the code',
    readingPicture: 'Looking for a code in the picture …',
    paste: 'Text of the code',
    pasteHint: 'It begins with lseqr:// or web+lseqr://. You can paste a picture here, too.',
    open: 'Open',
    nothingPasted: 'Paste the text of the code first.',
    faults: {
      denied:
        'The camera is not allowed for this page. Allow it in the settings of the browser, or use one of the ways below.',
      missing: 'This device has no camera. Use one of the ways below.',
      busy: 'The camera does not answer. Another app may be using it: close that app and try again.',
      unsupported: 'This browser gives no access to the camera. Use one of the ways below.',
      reader: 'The QR code reader could not be loaded. Go online and load the page again, or paste the text.',
    },
    pictureFaults: {
      'not-a-picture': 'This file is not a picture that the browser can show.',
      'no-code':
        'No QR code was found in this picture. Take one in which the code is sharp, whole and large.',
      'too-large': 'This file is too large for a picture (more than 40 MB).',
      reader: 'The QR code reader could not be loaded. Go online and load the page again, or paste the text.',
    },
  },
  de: {
    title: 'Code scannen',
    hint: 'Halten Sie die Kamera vor den QR-Code auf dem anderen Bildschirm oder im Brief.',
    camera: 'Bild der Kamera',
    starting: 'Die Kamera startet. Erlauben Sie den Zugriff, wenn Sie gefragt werden.',
    searching: 'Ein Code wird gesucht …',
    advice:
      'Noch kein Code gefunden. Gehen Sie näher heran, machen Sie mehr Licht, oder nehmen Sie einen der Wege unten: ein Bild des Codes oder seinen Text.',
    lampOn: 'Licht an',
    lampOff: 'Licht aus',
    again: 'Kamera noch einmal versuchen',
    otherWays: 'Ohne Kamera',
    picture: 'Ein Bild des Codes wählen',
    readingPicture: 'Im Bild wird ein Code gesucht …',
    paste: 'Text des Codes',
    pasteHint: 'Er beginnt mit lseqr:// oder web+lseqr://. Sie können hier auch ein Bild einfügen.',
    open: 'Öffnen',
    nothingPasted: 'Fügen Sie zuerst den Text des Codes ein.',
    faults: {
      denied:
        'Diese Seite darf die Kamera nicht verwenden. Erlauben Sie es in den Einstellungen des Browsers, oder nehmen Sie einen der Wege unten.',
      missing: 'Dieses Gerät hat keine Kamera. Nehmen Sie einen der Wege unten.',
      busy: 'Die Kamera antwortet nicht. Vielleicht verwendet sie eine andere App: Schließen Sie diese und versuchen Sie es noch einmal.',
      unsupported: 'Dieser Browser gibt die Kamera nicht frei. Nehmen Sie einen der Wege unten.',
      reader:
        'Der QR-Code-Leser konnte nicht geladen werden. Stellen Sie eine Verbindung zum Internet her und laden Sie die Seite neu, oder fügen Sie den Text ein.',
    },
    pictureFaults: {
      'not-a-picture': 'Diese Datei ist kein Bild, das der Browser zeigen kann.',
      'no-code':
        'In diesem Bild wurde kein QR-Code gefunden. Nehmen Sie eines, auf dem der Code scharf, ganz und groß ist.',
      'too-large': 'Diese Datei ist zu groß für ein Bild (mehr als 40 MB).',
      reader:
        'Der QR-Code-Leser konnte nicht geladen werden. Stellen Sie eine Verbindung zum Internet her und laden Sie die Seite neu, oder fügen Sie den Text ein.',
    },
  },
};
