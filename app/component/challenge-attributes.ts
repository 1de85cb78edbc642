import type { ChallengeLanguage } from './challenge-texts.ts';
import { drawQrCode } from './qr-drawing.ts';

/** The lifetime of a challenge, unless the server has another one. */
const DEFAULT_SECONDS = 1_200;
const MAX_SECONDS = 86_400;
const PICTURE_SCHEMES = ['http:', 'https:', 'blob:', 'data:'];

/** @returns the language of the element or of what it stands in; English if the component does not speak it */
export function languageOf(element: Element): ChallengeLanguage {
  const value = element.closest('[lang]')?.getAttribute('lang') ?? '';
  return /^de\b/i.test(value) ? 'de' : 'en';
}

/** @returns the picture of the attribute `data` or `picture`; undefined if neither can be shown */
export function codeOf(element: Element): Element | undefined {
  const code = challengeUrl(element);
  if (code !== undefined) {
    return drawQrCode(code);
  }
  const picture = urlOf(element.getAttribute('picture'));
  if (picture === undefined || !PICTURE_SCHEMES.includes(picture.protocol)) {
    return undefined;
  }
  const image = document.createElement('img');
  image.referrerPolicy = 'no-referrer';
  image.src = picture.href;
  return image;
}

/**
 * @returns the link that opens the challenge in the app. The challenge stands in the fragment, which no server sees;
 *   undefined without one of both
 */
export function appLinkOf(element: Element): string | undefined {
  const app = urlOf(element.getAttribute('app'));
  const code = challengeUrl(element);
  if (app === undefined || code === undefined || !/^https?:$/.test(app.protocol)) {
    return undefined;
  }
  app.pathname = app.pathname.replace(/\/?$/, '/');
  app.hash = `link=${encodeURIComponent(code)}`;
  return app.href;
}

/** @returns the portal's address of the state; undefined unless it is of the page's own origin */
export function statusUrlOf(element: Element): URL | undefined {
  const status = urlOf(element.getAttribute('status'));
  return status?.origin === window.location.origin ? status : undefined;
}

/** @returns the milliseconds after which the component gives up */
export function timeoutOf(element: Element): number {
  const value = element.getAttribute('timeout') ?? '';
  const seconds = /^\d+$/.test(value) ? Number(value) : DEFAULT_SECONDS;
  return Math.min(seconds, MAX_SECONDS) * 1000;
}

/** A page must not make the component a source of codes that lead elsewhere. */
function challengeUrl(element: Element): string | undefined {
  const data = element.getAttribute('data')?.trim() ?? '';
  return data.startsWith('lseqr://') ? data : undefined;
}

function urlOf(text: string | null): URL | undefined {
  if (text === null || text.trim() === '') {
    return undefined;
  }
  try {
    return new URL(text, document.baseURI);
  } catch {
    return undefined;
  }
}
