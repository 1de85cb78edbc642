import type { JSX } from 'preact';
import { Notice } from '../design/notice.tsx';
import { Screen } from '../design/screen.tsx';
import { useTexts } from '../language/language.ts';
import { shellTexts } from './shell-texts.ts';

/** The text of a page without a secure context: it has neither camera nor WebCrypto (W3C Secure Contexts). */
export function InsecureScreen(): JSX.Element {
  const texts = useTexts(shellTexts);
  return (
    <Screen title={texts.insecureTitle}>
      <Notice kind="error">{texts.insecure}</Notice>
      <p class="screen-text">{texts.insecureWhat}</p>
    </Screen>
  );
}
