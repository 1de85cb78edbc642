import type { JSX } from 'preact';
import { Notice } from '../design/notice.tsx';
import { useTexts } from '../language/language.ts';
import type { Loaded } from './services.ts';
import { shellTexts } from './shell-texts.ts';

/** Content for a value of the vault, once it is loaded. */
export function LoadedContent<Value>({
  loaded,
  children,
}: {
  loaded: Loaded<Value>;
  children: (value: Value) => JSX.Element;
}): JSX.Element {
  const texts = useTexts(shellTexts);
  switch (loaded.kind) {
    case 'loading':
      return <p class="muted">{texts.loading}</p>;
    case 'failed':
      return <Notice kind="error">{texts.failed}</Notice>;
    case 'loaded':
      return children(loaded.value);
  }
}
